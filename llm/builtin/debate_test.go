package builtin

import "pressroom/llm"

// debate is a small committee meeting of our own writing.
var debate = []llm.Passage{
	{Order: 0, Speaker: "鈴木委員長", Text: "○鈴木委員長　これより会議を開きます。\n　自転車道整備法案を議題といたします。趣旨の説明を聴取いたします。国土交通大臣。"},
	{Order: 1, Speaker: "田中国務大臣", Text: "○田中国務大臣　ただいま議題となりました自転車道整備法案につきまして、その趣旨を御説明申し上げます。本法案は、全国の幹線道路に四千キロメートルの自転車道を整備し、自転車と歩行者の事故を減らすものであります。整備に要する費用は十年間で二千億円を見込んでおり、国が三分の二を負担いたします。何とぞ御審議をお願い申し上げます。"},
	{Order: 2, Speaker: "佐藤委員", Text: "○佐藤委員　佐藤です。費用の二千億円について伺います。地方の負担が三分の一残りますが、財政力の弱い町村では自転車道の整備が進まないのではありませんか。「予算がないから後回しだ。」という声を、私は地元で何度も聞きました。"},
	{Order: 3, Speaker: "田中国務大臣", Text: "○田中国務大臣　お答えいたします。財政力の弱い町村に対しては、国の負担を五分の四まで引き上げる特例を設けます。自転車道の整備が後回しにならないよう、毎年度、整備の状況を国会に報告いたします。"},
	{Order: 4, Speaker: "佐藤委員", Text: "○佐藤委員　ありがとうございました。終わります。"},
	{Order: 5, Speaker: "鈴木委員長", Text: "○鈴木委員長　これより採決に入ります。自転車道整備法案に賛成の諸君の起立を求めます。\n　　〔賛成者起立〕\n○鈴木委員長　起立総員。よって、自転車道整備法案は原案のとおり可決すべきものと決しました。"},
	{Order: 6, Text: ""},
}

// minutesSchema has the form of a meeting's result.
var minutesSchema = llm.MustSchema("minutes", []byte(`{
	"$defs": {
		"cited": {
			"type": "object",
			"properties": {"based_on_orders": {"type": "array", "items": {"type": "integer"}}, "summary": {"type": "string"}},
			"required": ["based_on_orders", "summary"], "additionalProperties": false
		}
	},
	"type": "object",
	"properties": {
		"title": {"type": "string", "minLength": 1, "maxLength": 60},
		"category": {"type": "string"},
		"description": {"type": "string"},
		"date": {"type": "string", "pattern": "^\\d{4}-\\d{2}-\\d{2}$"},
		"key_points": {"type": "array", "items": {"type": "string"}},
		"summary": {"$ref": "#/$defs/cited"},
		"soft_language_summary": {"$ref": "#/$defs/cited"},
		"middle_summary": {"type": "array", "items": {"$ref": "#/$defs/cited"}},
		"dialogs": {"type": "array", "items": {
			"type": "object",
			"properties": {
				"order": {"type": "integer"},
				"speaker": {"type": "string"},
				"summary_sections": {"type": "array", "items": {
					"type": "object",
					"properties": {
						"title": {"type": "string"},
						"bullets": {"type": "array", "items": {
							"type": "object",
							"properties": {"point": {"type": "string"}, "quote": {"type": "string"}, "detail": {"type": "string"}},
							"required": ["point", "quote", "detail"], "additionalProperties": false
						}}
					},
					"required": ["title", "bullets"], "additionalProperties": false
				}},
				"reaction": {"type": "string"},
				"soft_language": {"type": "string"},
				"original_text": {"type": "string"}
			},
			"required": ["order", "speaker", "summary_sections", "reaction", "soft_language", "original_text"], "additionalProperties": false
		}},
		"participants": {"type": "array", "items": {"type": "object", "properties": {"name": {"type": "string"}, "position": {"type": "string"}}, "required": ["name"]}},
		"terms": {"type": "array", "items": {"type": "object", "properties": {"term": {"type": "string"}, "definition": {"type": "string"}}, "required": ["term", "definition"]}},
		"keywords": {"type": "array", "items": {"type": "string"}, "maxItems": 5}
	},
	"required": ["title", "category", "description", "date", "key_points", "summary", "soft_language_summary", "middle_summary", "dialogs", "participants", "terms", "keywords"],
	"additionalProperties": false
}`))

type cited struct {
	BasedOnOrders []int  `json:"based_on_orders"`
	Summary       string `json:"summary"`
}

type minutes struct {
	Title         string   `json:"title"`
	Description   string   `json:"description"`
	Date          string   `json:"date"`
	KeyPoints     []string `json:"key_points"`
	Summary       cited    `json:"summary"`
	Soft          cited    `json:"soft_language_summary"`
	MiddleSummary []cited  `json:"middle_summary"`
	Dialogs       []struct {
		Order           int    `json:"order"`
		Speaker         string `json:"speaker"`
		SummarySections []struct {
			Title   string `json:"title"`
			Bullets []struct {
				Point, Quote, Detail string
			} `json:"bullets"`
		} `json:"summary_sections"`
		SoftLanguage string `json:"soft_language"`
		OriginalText string `json:"original_text"`
	} `json:"dialogs"`
	Participants []struct{ Name string } `json:"participants"`
	Terms        []struct{ Term, Definition string }
	Keywords     []string `json:"keywords"`
}

func request() *llm.Request {
	return &llm.Request{
		System:          "Write the article.",
		Messages:        []llm.Message{{Role: llm.User, Text: "会議名: 国土交通委員会\n開催日: 2026-11-15"}},
		Passages:        debate,
		MaxOutputTokens: 20000,
	}
}
