package builtin

import "strings"

// What a property is for is known by its name. Names are compared in lower case
// without '_' and '-', so that basedOnOrders is based_on_orders.
var (
	titleNames       = names("title headline heading subject caption")
	textNames        = names("summary description abstract overview text lead gist answer content body soft_language_summary soft_language summary_text soft_summary plain_summary tldr")
	briefNames       = names("description lead soft_language gist tldr")
	quoteNames       = names("quote quotation excerpt evidence citation_text")
	pointNames       = names("point key_point bullet claim finding highlight statement takeaway")
	pointListNames   = names("key_points points bullets highlights claims findings statements takeaways summary_points sentences summary")
	detailNames      = names("detail details explanation context elaboration")
	speakerNames     = names("speaker speaker_name name person")
	speakerListNames = names("participants speakers people persons")
	sourceNames      = names("original_text source_text original full_text")
	orderNames       = names("order speech_order passage_order")
	orderListNames   = names("based_on_orders orders sources citations based_on passage_orders")
	groupNames       = names("middle_summary middle_summaries sections parts chapters")
	keywordNames     = names("keywords tags topics")
	categoryNames    = names("category categories")
	termListNames    = names("terms glossary applied_terms used_terms")
	termNames        = names("term word")
	meaningNames     = names("definition meaning gloss")
	dateNames        = names("date published_at meeting_date")
	languageNames    = names("language lang")
	translationNames = names("translation translated_text translated")
)

func names(list string) map[string]bool {
	out := map[string]bool{}
	for n := range strings.FieldsSeq(list) {
		out[plain(n)] = true
	}
	return out
}

// is tells whether a property's name is one of those.
func is(names map[string]bool, name string) bool { return names[plain(name)] }

var plainer = strings.NewReplacer("_", "", "-", "")

func plain(name string) string { return plainer.Replace(strings.ToLower(name)) }
