package proceedings

import "regexp"

// Forms are how a tradition of records says things. All of them are matched against
// text without white space.
type Forms struct {
	// Head is the speaker of the record's head.
	Head string
	// Chairs, Answerers, Witnesses and Members are what labels call those who preside,
	// who answer, who are heard, and who sit in the house.
	Chairs, Answerers, Witnesses, Members *regexp.Regexp

	// Order is the name of a committee that deals with the order of other meetings.
	Order *regexp.Regexp
	// Agenda begins the list of what the meeting dealt with, Day the order of the day.
	Agenda, Day *regexp.Regexp
	// Endings are how names of items end, with the kind of item; the first that fits
	// counts.
	Endings []Ending
	// Same tells which sentence of a chair is about an item that the head names
	// otherwise.
	Same []Pair

	Open, Close, Times, OpenTime *regexp.Regexp
	Table                        *regexp.Regexp // puts items on the table
	These                        *regexp.Regexp // the items on the table
	Lead                         *regexp.Regexp // what stands before an item's name
	Election                     *regexp.Regexp // someone is to be elected
	// Appoint puts the appointment of somebody to the vote, Matter a matter that the
	// agenda does not name, and Urgent is items that are to be taken up at once.
	Appoint, Matter, Urgent *regexp.Regexp

	// Asks are questions to the house, by method.
	Asks []Method
	// Results are what a chair states after a vote.
	Results []Result
	Total   *regexp.Regexp // the votes cast
	Yes, No *regexp.Regexp
	Count   *regexp.Regexp // a candidate's votes
	// Outcomes are what is stated after a result; the first that fits counts.
	Outcomes []Decided
	Proposed *regexp.Regexp // what the committee decides is only proposed to the house

	Explain, Report, Questions, DebateOn, DebateOff, QuestionsOff, Hear *regexp.Regexp
	Amend, Rider, Motion                                                *regexp.Regexp
	Stance, For, Against                                                *regexp.Regexp
	Corrections                                                         []*regexp.Regexp
	Retract                                                             *regexp.Regexp // takes back what was said
	Record                                                              *regexp.Regexp // names the record that is corrected
	NamedFor, NamedAgainst                                              *regexp.Regexp
	Dissolve                                                            *regexp.Regexp
	Greeting                                                            *regexp.Regexp // what is said for the sake of manners or order
}

// Ending is how names of a kind of item end.
type Ending struct {
	At   *regexp.Regexp
	Kind string
}

// Pair ties the name of an item in the head to the words of the chair.
type Pair struct{ Item, Said *regexp.Regexp }

// Method is how the house is asked.
type Method struct {
	At   *regexp.Regexp
	Name string
}

// Result is the result of a vote in words.
type Result struct {
	At           *regexp.Regexp
	Method, Name string
}

// Decided is an outcome in words.
type Decided struct {
	At      *regexp.Regexp
	Outcome Outcome
}

var re = regexp.MustCompile

// num is a number as records write it.
const num = `[〇零一二三四五六七八九十百千万0-9０-９]+`

// Japanese are the forms of the Diet, and of the assemblies that follow it.
var Japanese = &Forms{
	Head:      "会議録情報",
	Chairs:    re(`^(?:仮議長|議長|副議長|議長代理|委員長|委員長代理|小委員長|小委員長代理|会長|会長代理|主査|主査代理|座長|理事)$`),
	Answerers: re(`大臣|副長官|政務官|政府参考人|政府特別補佐人|政府委員|説明員|参考人|公述人|証人|検査院|最高裁判所|事務総長|事務次長|事務局|法制局|図書館|議員|提出者|発議者|部長|局長|総裁|市長|知事|町長|村長|区長|教育長|管理者|次長|課長|長官|代理者`),
	Witnesses: re(`^(?:参考人|公述人|証人|意見陳述者)$`),
	Members:   re(`^(?:委員|君|さん|氏|番)$`),

	Order:  re(`議院運営|議会運営`),
	Agenda: re(`本日の(?:会議に付した|公聴会で意見を聞いた|公聴会の)(?:案件|事件|議案)|会議に付した(?:案件|事件)`),
	Day:    re(`議事日程`),
	Endings: []Ending{
		{re(`起草の件$`), "bill"},
		{re(`(?:承認|承諾|同意)を求めるの件（[^（）]*）$`), "approval"},
		{re(`任命につき.*同意を求めるの件$|(?:任命同意|同意人事|任命)に関する件$`), "personnel"},
		{re(`(?:承認|承諾|議決)を求めるの件$|（(?:承認|承諾|議決)を求めるの件）$|締結について承認を求めるの件$`), "approval"},
		{re(`(?:条約|協定|議定書|総調書|調書)$`), "approval"},
		{re(`法律案$|法案$|規則案$|規程案$|規程$|憲法改正原案$|条例$|条例案$|規則$`), "bill"},
		{re(`予算$|予算案$|補正予算（[^（）]*）$|予算（[^（）]*）$|暫定予算$`), "budget"},
		{re(`決算$|計算書$|決算書$|総計算書$|決算及び.*計算書$`), "report"},
		{re(`決議案$|決議$|決議の件$|の決議に関する件$|意見書案$|意見書$`), "resolution"},
		{re(`請願$|請願（[^（）]*）$|請願外` + num + `件$|陳情$`), "petition"},
		{re(`互選$|選挙$|の指名$|当選人.*$`), "election"},
		{re(`を任命すること$`), "personnel"},
		{re(`の緊急上程$|予算要求$`), "other"},
		{re(`選任$|選任の件$|辞任$|辞任の件$|辞職の件$|辞職$|許可の件$|補欠選任の件$|(?:選任|辞任|辞職|補欠選任)に関する件$`), "personnel"},
		{re(`(?:出頭|出席)要求に関する件$|に関する件$|の件$|するの件$|の取扱い$|議席の指定$|事件$`), "other"},
		{re(`調査$|調査（[^（）]*）$|調査の件$`), "investigation"},
		{re(`報告$|演説$|演説に対する質疑$|報告に対する質疑$|報告について$|所信$|説明$|発言$|（報告）$|質疑$|質問$`), "report"},
		{re(`動議$|紹介$|表彰.*$|討議$|の設置$`), "other"},
	},
	Same: []Pair{
		{re(`政府参考人`), re(`政府参考人(?:として|の出席要求)`)},
		{re(`^参考人`), re(`参考人(?:として.*出[席頭]|の出[席頭])`)},
		{re(`公聴会`), re(`公聴会`)},
		{re(`^(?:特別|常任)?(?:委員長|会長|小委員長)(?:及び理事|及び幹事|の)?の?互選|委員長互選|会長互選`), re(`(?:委員長|会長)の(?:互選|選任)|(?:委員長|会長)(?:に|として)?.*(?:当選|選任され)|(?:委員長|会長)に推薦`)},
		{re(`理事|幹事`), re(`(?:理事|幹事)(?:の(?:互選|選任|補欠選任|員数|辞任)|辞任|に.*指名|補欠)|後任の(?:理事|幹事)`)},
		{re(`閉会中|継続`), re(`閉会中(?:審査|もなお|も継続)|継続(?:調査|審査)要求|各委員長.*要求のとおり|閉会中も`)},
		{re(`国政調査`), re(`国政(?:に関する)?調査`)},
		{re(`委員派遣`), re(`委員(?:を)?派遣|派遣委員`)},
		{re(`小委員会設置|小委員会に関する`), re(`小委員会(?:を|の)設置|小委員会`)},
		{re(`連合審査会`), re(`連合審査会`)},
		{re(`会期`), re(`会期`)},
		{re(`任命.*同意|任命同意`), re(`任命する(?:こと|の).*同意|任命.*同意`)},
		{re(`委員会設置|委員会を設置`), re(`特別委員会.*設置|設置することに`)},
		{re(`辞任|辞職`), re(`辞(?:任|職)(?:いたしたい|したい|を許可|の申出|についてお諮り)|辞(?:任|職).*許可する`)},
		{re(`内閣総理大臣の指名`), re(`内閣総理大臣の指名|内閣総理大臣に指名`)},
		{re(`議席の指定`), re(`議席`)},
		{re(`請暇`), re(`請暇`)},
		{re(`^次回の本会議`), re(`次回の本会議`)},
		{re(`逝去|弔詞|哀悼`), re(`弔詞|哀悼`)},
	},

	Open:     re(`会議を開(?:きます|く|会)|(?:委員会|審査会|調査会|小委員会|分科会|公聴会|会議|会)を(?:開会|開議)(?:いた|し)|(?:開会|再開)いたします|を開会する|開議いたします|会を開きます|開会をいたします`),
	Close:    re(`(?:散会|休憩|延会|閉会)(?:いたします|いたしました|します|をいたします|することといたし|に(?:いたし|なり)ます|とする|とします|となり)`),
	Times:    re(`((?:午前|午後)` + num + `時(?:` + num + `分|半)?|正午|午前零時|午後零時(?:` + num + `分)?)(散会|休憩|延会|閉会|流会)`),
	OpenTime: re(`((?:午前|午後)` + num + `時(?:` + num + `分|半)?|正午)(?:開議|開会|開催)`),
	Table:    re(`議題と(?:いたします|します|し、|する|して|いたし|なって)|議題に(?:供し|付し)|(?:について|につき|につきまして|を)(?:、)?(?:議事を進めます|調査を進めます|調査を行い|審査を進めます|審査に入ります|質疑を行い|公聴会を開)|(?:につき|について)(?:、)?(?:お諮り|趣旨の説明|趣旨説明)`),
	These:    re(`本(?:法律)?案|両(?:法律|法)?案|[二三四五六七八九十]+(?:法律|法)?案|各(?:法律|法)?案|本件|両件|[二三四五六七八九十]+件|各件|本(?:決議|規則|規程|議|予算|修正|起草|動議)案?|本(?:請願|条約|協定|議定書|動議)|これ(?:に|を|ら)|原案|いずれも|以上のとおり|そのとおり|そのように|さよう|会期|(?:説明|報告|要求|申出)のとおり`),
	Lead:     re(`^(?:○[^。]{1,40}?（[^（）]*(?:君|さん)）|これより|ただいま|本日(?:の|は)?|次に|次いで|まず|続いて|続きまして|引き続き|最後に|それでは|この際|なお|休憩前に引き続き|前回に引き続き|日程に追加して|日程に追加し|日程第` + num + `(?:(?:から|ないし|乃至|及び|、)(?:日程)?第` + num + `(?:まで)?)*|(?:本日|先ほど|去る[^、]{1,10})?(?:本委員会に)?付託(?:に|と)?(?:なり|され)ました|議題となりました|議題となっております|議題の|内閣提出|内閣から提出|(?:衆議院|参議院)(?:から)?(?:提出|送付|回付)|本院提出|[^、。案件算]{1,30}?(?:君|さん)(?:外` + num + `名)?(?:提出|発議)(?:に係る)?の?|[^、。]{1,40}?委員長提出|第` + num + `回国会|予備審査|(?:令和|平成)` + num + `年度地方財政計画について(?:の発言)?|(?:閣法|衆法|参法)?第` + num + `号|お諮りいたします。?|に対する(?:両|各|` + num + `)?修正案|及び|並びに|以上|、|の|以下、?)+`),
	Election: re(`((?:委員長|会長|小委員長|理事|幹事|議長|副議長|常任委員長)の(?:互選|選任|補欠選任|選挙)|内閣総理大臣の指名)を行(?:い|う)`),
	Appoint:  re(`^(?:これより|次に|まず|最後に|続いて|、)*([^。]{2,40}?に[^。]{2,600}?(?:君|さん)を任命すること)について(?:、)?採決`),
	Matter:   re(`^(?:それでは|次に|まず|最後に|続いて|また|、)*([^、。]{4,60}?(?:の件|予算要求))(?:につきまして|につき|について)は?、[^。]*に(?:賛成の|御異議)`),
	Urgent:   re(`審査を終了(?:した|する予定の)([^。]+?)(?:の(?:両|各|` + num + `)(?:法律|法)?案)?(?:について|につき|につきまして)、(?:それぞれ)?委員長から緊急上程の申出`),

	Asks: []Method{
		{re(`投票ボタン`), "buttons"},
		{re(`白色票|青色票|白票|青票|(?:^|[^無])記名投票`), "recorded"},
		{re(`無名投票|単記|投票用紙|投票を(?:願い|行い)`), "ballot"},
		{re(`起立(?:を(?:求め|願い|お願い)|願い)|御起立`), "standing"},
		{re(`挙手(?:を(?:求め|願い|お願い)|願い)|挙手を`), "hands"},
		{re(`異議(?:は)?(?:あり|ござい)ません|異議(?:は)?(?:ない|ございません)でしょうか|御異議ありませんか|御異議(?:の|は)ないもの`), "no_objection"},
	},
	Results: []Result{
		{re(`起立総員|総員起立|起立全員|全員起立`), "standing", "unanimous"},
		{re(`起立多数|起立者多数|起立者は三分の二以上`), "standing", "majority"},
		{re(`起立少数|起立者少数`), "standing", "minority"},
		{re(`挙手総員|総員挙手|挙手全員|全員挙手`), "hands", "unanimous"},
		{re(`挙手多数`), "hands", "majority"},
		{re(`挙手少数`), "hands", "minority"},
		{re(`全会一致と認めます|全会一致であります|全員賛成と認めます|賛成全員|賛成総員|賛成者全員`), "", "unanimous"},
		{re(`過半数と認めます|多数と認めます|賛成多数|多数であります`), "", "majority"},
		{re(`少数と認めます|賛成少数|少数であります|過半数に達しません`), "", "minority"},
		{re(`異議(?:は)?(?:なし|ない|なき|ございません|ありません)(?:もの)?と(?:認め|存じ)|異議ないと|異議なしと|御異議がないと認め`), "no_objection", "unanimous"},
	},
	Total: re(`投票(?:の)?総数(?:は)?、?(` + num + `)`),
	Yes:   re(`(?:賛成(?:者|する者)?(?:（白(?:色)?票）)?|白(?:色)?票|可とする者(?:（白票）)?)(?:は)?、?(` + num + `)`),
	No:    re(`(?:反対(?:者|する者)?(?:（青(?:色)?票）)?|青(?:色)?票|否とする者(?:（青票）)?)(?:は)?、?(` + num + `)`),
	Count: re(`([^\s。、君（）一二三四五六七八九十百千〇〕]{2,12})君(?:（[^（）]*）)?(` + num + `)票?`),
	Outcomes: []Decided{
		{re(`否決(?:す|さ|い|と|し)|可決すべきものでない`), Rejected},
		{re(`修正議決|修正可決`), Passed},
		{re(`可決|原案のとおり決(?:定|する|し)|原案どおり決定|同意(?:し|を)?.*回付案`), Passed},
		{re(`(?:承認|承諾)(?:を)?(?:与え|し)ない|(?:承認|承諾)すべきものでない|不承認|承諾しない`), NotApproved},
		{re(`(?:承認|承諾|認定|是認)(?:を与え|する|すべき|され|いたし|し|することに)`), Approved},
		{re(`不採択`), Rejected},
		{re(`採択(?:す|さ|い|と|し)`), Adopted},
		{re(`(?:決議|本委員会の決議|本院の決議)と(?:する|いたし)`), Passed},
		{re(`撤回.*(?:許可|承認|決)`), Withdrawn},
		{re(`(?:委員会|審査会|小委員会)に付託|付託する`), ReferredTo},
		{re(`継続(?:審査|調査)|閉会中(?:審査|もなお|も継続)`), Continued},
		{re(`当選|互選され|選任され(?:ました|た)|委員長に.*選任|会長に.*選任|内閣総理大臣に指名`), Elected},
		{re(`指名(?:いたし|し|する|され)|選任(?:する|いたし|し)|推薦`), Appointed},
		{re(`同意(?:を与える|する|いたし|を与え)`), Agreed},
		{re(`(?:決し|決まり|決定(?:いた|を)?し|決定され|決定する|許可(?:する|し|いたし)|取り計らい|取り計らう|了承|設置する|追加され|定め|そのように決|そのとおり決|さよう決|答申する)`), Agreed},
	},
	Proposed: re(`すべきもの`),

	Explain:      re(`趣旨(?:の)?(?:説明|弁明)|提案理由の説明|提出者(?:から|の).*説明|説明を(?:聴取|求め)|提案理由|発議者.*説明`),
	Report:       re(`委員長の報告を求め|委員長報告|報告を求めます|調査会長の報告|審査会長の報告|審査の経過.*報告`),
	Questions:    re(`質疑(?:に入|を(?:行|許|続)|の(?:申出|申し出|通告))|質問(?:に入|を(?:行|許)|の通告)|順次これを許し|自由質疑`),
	QuestionsOff: re(`質疑(?:は|を|も)?(?:これにて)?(?:終局|終了|終わ)|質問は終`),
	DebateOn:     re(`討論に入り|討論の(?:通告|申出|申し出)|討論を(?:行|許)|これより討論`),
	DebateOff:    re(`討論は(?:これにて)?(?:終局|終了)|討論は終|採決(?:に入|を(?:行|いた)|いたし)`),
	Hear:         re(`(?:参考人|公述人).*(?:御意見|意見).*(?:述べ|伺|聴取|お聞か)|順次(?:御)?意見`),
	Amend:        re(`編成替えを求めるの動議が|修正(?:案|の動議)(?:が|を|は).*提出|修正(?:案|の動議).*(?:提出され|趣旨)|修正について`),
	Rider:        re(`附帯決議`),
	Motion:       re(`動議を提出|動議に(?:賛成|御異議)|提案に賛成|なり[。、]|異議なし`),

	Stance:  re(`(賛成|反対)(?:の(?:立場|意見|討論|意を|理由)|討論|する立場|を表明|いたします|をいたします|です|であります|でございます|するものであります|の態度)`),
	For:     re(`賛成`),
	Against: re(`反対`),
	Corrections: []*regexp.Regexp{
		re(`「([^「」]{1,60})」と(?:申し上げ|発言|答弁|お答え|述べ|申し)[^。「」]{0,30}?(?:が|けれども|ところ)[^「」。]{0,40}?「([^「」]{1,60})」`),
		re(`「([^「」]{1,60})」とあるのは、?「([^「」]{1,60})」の誤り`),
		re(`「([^「」]{1,60})」を「([^「」]{1,60})」(?:に|と)(?:訂正|改め)`),
		re(`([^。、「」]{1,40})と(?:申し上げ|答弁(?:いた)?し|発言(?:いた)?し|お答え(?:いた)?し|述べ)(?:まし|てしまいまし|ており)た?(?:が|けれども)、(?:正しくは|正確には|実際には)、?([^。、「」]{1,40}?)(?:でございま|であり|です|の誤り|が正しい|に訂正)`),
		re(`([^。「」]{1,60}?)と(?:申し上げ|報告(?:いた)?し)ましたが、([^。「」]{1,40}?)の誤りで`),
		re(`(?:^|[のはが、])([^、。のはがを「」]{1,15})を([^、。をに「」]{1,15})に訂正(?:いた|さ|し)`),
	},
	Retract:      re(`(?:発言|答弁|言葉|表現|部分|箇所)(?:は|を|につきまして|について)[^。案動議]{0,30}?(?:取り消し(?:ます|いたします|をいたします|たいと(?:思い|存じ)ます|をさせていただき(?:ます|たい))|取り消させていただき(?:ます|たい)|撤回(?:いた)?します|撤回(?:を)?させていただき(?:ます|たい))`),
	Record:       re(`会議録(?:の)?(第` + num + `号)|(?:^|、|の)(第` + num + `号)の?会議録`),
	NamedFor:     re(`(?:可とする(?:議員|者)の氏名|賛成者(?:（白色票）)?(?:の)?氏名)`),
	NamedAgainst: re(`(?:否とする(?:議員|者)の氏名|反対者(?:（青色票）)?(?:の)?氏名)`),
	Dissolve:     re(`衆議院を解散する`),
	Greeting:     re(`^(?:ありがとうござい|よろしくお願い|おはようござい|(?:お答え|お答えを|御答弁|答弁)(?:いた|申し|を|さ)|ただいま御?(?:紹介|指名)|御質問ありがとう|御指名|どうも|はい|以上です|以上で|終わります|質問を終わり|時間が(?:参|来)|次に|続いて|まず|それでは|[^。]{0,30}(?:で(?:す|ございます|あります))。$|[^。]{0,40}(?:質問|お答え|御礼|感謝|お尋ね|質疑|伺い|お伺い)(?:を)?(?:さ|い|申|し|が|の)[^。]{0,20}。$)`),
}
