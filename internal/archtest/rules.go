package archtest

import "slices"

// module is the path of this module, in front of every import of its own
// packages.
const module = "pressroom"

// Rule says what the packages of one place may import of this module. Packages
// of one place may import each other.
type Rule struct {
	// Place is where the rule holds: a package ("model") or a package and all
	// below it ("dynamo/..."). A star stands for part of a folder's name
	// ("internal/desk/*"). The first rule that fits a package is its rule.
	Place string
	// May lists the packages it may import, in the same forms, or as
	// "dynamo:API,StreamsAPI" for one that may be imported for those names alone.
	// "own" is the folder of the desk that the package belongs to.
	May []string
	// Tests lists what its test files may import besides.
	Tests []string
	// Why is the reason, for whoever breaks the rule.
	Why string
}

// technology is what a test may build on: the real stores, in memory, and a network
// without sockets.
var technology = []string{"dynamo/...", "blob/...", "llm/...", "model/...", "atrest/...", "guard", "sigv4/...", "caller", "internal/pipetest"}

const (
	whyLeaf       = "it is a leaf that the stores stand on"
	whyTechnology = "stores and providers know nothing of the newsroom or of each other, so that each can be used and tested alone"
	whyDesk       = "desks know nothing of each other or of pages; they see the stores through model and blob"
	whyService    = "a service declares small interfaces that desks satisfy, instead of importing desks"
	whyFront      = "pages and JSON of the house know no desk: a desk brings its own"
	whyDeskFront  = "a desk's pages and JSON speak to their own desk, not to tables"
)

var (
	deskMay    = []string{"model", "blob", "llm", "internal/story", "internal/rights/...", "internal/proof", "internal/outbound", "internal/mail", "internal/errs", "internal/kept", "internal/gold", "internal/picture"}
	serviceMay = []string{"model", "blob", "internal/story", "internal/outbound", "internal/errs", "internal/kept"}
	frontMay   = []string{"internal/story", "internal/review", "internal/proof", "internal/thread", "internal/search", "internal/auth", "internal/ops", "internal/rights", "internal/front", "internal/errs", "internal/kept"}
)

var frontTests = slices.Concat(technology, []string{"internal/front/fronttest", "internal/api/apitest", "internal/ops/replay", "internal/search/searchtest", "internal/story/storytest", "internal/web/webtest"})

// Rules is the import table of the design. A package that no rule fits is a
// violation: it needs a place first.
var Rules = []Rule{
	{Place: "atrest/...", Why: whyLeaf},
	{Place: "guard", Tests: []string{"atrest"}, Why: whyLeaf},
	{Place: "guard/guardtest", May: []string{"atrest"}, Why: "it tries any store that stands on guard and knows none"},
	{Place: "sigv4/...", Why: whyLeaf},
	{Place: "caller", Why: whyLeaf},

	{Place: "dynamo/...", May: []string{"atrest", "guard", "sigv4", "caller"}, Tests: []string{"guard/guardtest"}, Why: whyTechnology},
	{Place: "blob/...", May: []string{"atrest", "guard", "sigv4", "caller"}, Tests: []string{"guard/guardtest"}, Why: whyTechnology},
	{Place: "llm/...", Why: whyTechnology},

	{Place: "model", May: []string{"dynamo:API,StreamsAPI", "dynamo/attr"}, Tests: technology, Why: "model works on any DynamoDB, not on ours alone"},
	{Place: "model/modeltest", May: []string{"model/...", "dynamo", "dynamo/attr", "dynamo/wire", "blob"}, Tests: technology, Why: "the suites of model and of desks run on the embedded stores"},
	{Place: "model/...", May: []string{"dynamo:API", "dynamo/attr"}, Tests: technology, Why: "what judges, renders and deploys a schema works on any DynamoDB and S3"},

	{Place: "internal/errs", Why: "every package may import it, so it imports none"},

	{Place: "internal/kept", Tests: technology, Why: "it keeps anybody's answers and knows nobody's; every package may import it"},

	{Place: "internal/picture", Why: "it makes anybody's pictures fit and knows nobody's"},

	{Place: "internal/pipetest", Why: "any test may stand on it, so it imports none"},
	{Place: "internal/outbound", May: []string{"internal/errs"}, Tests: []string{"internal/pipetest"}, Why: "the one way out to the network knows nothing of who goes"},

	{Place: "internal/mail", Why: "it hands letters to a server and knows nothing of who writes"},

	{Place: "internal/setting", May: []string{"internal/errs"}, Why: "how a setting is found does not depend on what it is for"},

	{Place: "internal/rights/robots", Why: "it reads a file, and knows nobody who has it"},
	{Place: "internal/rights", May: []string{"internal/rights/robots"}, Why: "what may be shown follows from what it is given, never from who asks it or where it is shown"},

	{Place: "internal/rights/erase", May: []string{"model", "blob", "internal/story", "internal/errs"}, Tests: technology, Why: "it forgets by what desks declare, and knows none of them"},

	{Place: "internal/rights/request", May: []string{"model", "internal/rights/erase", "internal/errs"}, Tests: append([]string{"internal/story"}, technology...), Why: "what people ask for is judged by people, and done by erase"},

	{Place: "internal/story", May: []string{"model", "internal/errs", "internal/kept"}, Tests: technology, Why: "what desks publish is told to all by those who know none of them"},

	{Place: "internal/story/storytest", May: append([]string{"internal/story", "internal/errs"}, technology...), Why: "stories for tests stand on the real tables, in memory"},

	{Place: "internal/proof", May: []string{"internal/story", "internal/rights", "internal/auth", "internal/ops", "internal/errs", "internal/search/text", "model", "blob", "llm"}, Tests: append([]string{"guard/guardtest"}, technology...), Why: "what a record says is judged from the record alone; the dictionary of Japanese is the one that search loads"},

	{Place: "internal/review", May: []string{"internal/story", "internal/proof", "internal/errs", "model"}, Tests: append([]string{"internal/story/storytest"}, technology...), Why: "what waits for people is decided in one place, which knows no desk"},

	{Place: "internal/desk/*/*web/...", May: slices.Concat(frontMay, []string{"own/...", "internal/web/..."}), Tests: frontTests, Why: whyDeskFront},
	{Place: "internal/desk/*/*api/...", May: slices.Concat(frontMay, []string{"own/...", "internal/api"}), Tests: frontTests, Why: whyDeskFront},
	{Place: "internal/desk/*/*desk", May: slices.Concat(frontMay, deskMay, []string{"own/...", "internal/web", "internal/api", "internal/desk", "internal/gold"}), Tests: append([]string{"internal/desk/desktest", "internal/story/storytest", "own/..."}, technology...), Why: "a desk is put together of its own folders"},
	{Place: "internal/gold", Why: "it counts what any desk found, and knows none"},
	{Place: "internal/desk", May: slices.Concat(frontMay, []string{"internal/rights/erase", "model", "llm", "internal/mail", "internal/setting", "internal/web", "internal/api", "internal/gold"}), Why: "a declaration is made of the types of those who use it"},
	{Place: "internal/desk/desktest", May: slices.Concat(frontMay, technology, []string{"internal/desk", "internal/web", "internal/api"}), Why: "it proves any desk, and knows none"},
	{Place: "internal/desk/*/...", May: deskMay, Tests: append([]string{"internal/story/storytest", "guard/guardtest"}, technology...), Why: whyDesk},

	{Place: "internal/search/searchtest", May: append([]string{"internal/search/...", "internal/story/...", "internal/errs"}, technology...), Why: "search for tests stands on the real tables, in memory"},
	{Place: "internal/search/...", May: serviceMay, Tests: append([]string{"internal/story/storytest"}, technology...), Why: whyService},
	{Place: "internal/thread", May: []string{"internal/story", "internal/errs", "model"}, Tests: append([]string{"internal/story/storytest"}, technology...), Why: "what belongs together follows from the stories alone, whichever desk they are from"},
	{Place: "internal/thread/score", May: []string{"internal/thread", "internal/gold"}, Why: "the rules are measured from outside"},
	{Place: "internal/auth/...", May: serviceMay, Tests: technology, Why: whyService},
	{Place: "internal/ops/...", May: serviceMay, Tests: technology, Why: whyService},

	{Place: "internal/deliver/bounce", May: append([]string{"internal/deliver"}, serviceMay...), Tests: technology, Why: "what comes back counts in the ledger, whoever brings it"},
	{Place: "internal/deliver/channel", May: append([]string{"internal/deliver", "internal/deliver/bounce", "internal/mail"}, serviceMay...), Tests: technology, Why: "a channel hands over what the ledger gives it"},
	{Place: "internal/deliver", May: serviceMay, Tests: append([]string{"internal/deliver/channel", "internal/mail"}, technology...), Why: "the ledger knows what was sent to whom, never who that is or what a desk says"},

	{Place: "internal/follow", May: append([]string{"internal/deliver", "internal/search/text"}, serviceMay...), Tests: append([]string{"internal/story/storytest", "internal/search", "internal/search/embedded"}, technology...), Why: "who follows what is found by what a story's card says, for any desk"},

	{Place: "internal/front", May: []string{"internal/auth", "internal/rights", "internal/errs"}, Tests: append([]string{"internal/front/fronttest"}, technology...), Why: "the door asks who comes and where to, never what for"},
	{Place: "internal/front/fronttest", May: []string{"internal/front", "internal/auth", "internal/errs"}, Why: "the proof of the door stands outside of it"},
	{Place: "internal/api/apitest", May: append([]string{"internal/api", "internal/auth", "internal/front", "internal/front/fronttest", "internal/ops/replay"}, technology...), Why: "an API for tests stands on the real stores, in memory"},
	{Place: "internal/api/proofapi", May: append([]string{"internal/api", "internal/proof"}, frontMay...), Tests: frontTests, Why: whyFront},
	{Place: "internal/api/deliverapi", May: append([]string{"internal/api", "internal/deliver"}, frontMay...), Tests: frontTests, Why: whyFront},
	{Place: "internal/api/letterapi", May: append([]string{"internal/api", "internal/deliver", "internal/follow"}, frontMay...), Tests: frontTests, Why: whyFront},
	{Place: "internal/api/threadapi", May: append([]string{"internal/api", "internal/api/storyapi"}, frontMay...), Tests: frontTests, Why: whyFront},
	{Place: "internal/agent", May: append([]string{"internal/api"}, frontMay...), Tests: append([]string{"internal/api/storyapi"}, frontTests...), Why: "agents' tools are the API's operations, through the same door"},
	{Place: "internal/api/rightsapi", May: append([]string{"internal/api", "internal/rights/...", "model"}, frontMay...), Tests: frontTests, Why: whyFront},
	{Place: "internal/api/...", May: frontMay, Tests: frontTests, Why: whyFront},
	{Place: "internal/web/webtest", May: append([]string{"internal/web", "internal/auth", "internal/front", "internal/story/...", "internal/thread", "internal/errs"}, technology...), Why: "a site for tests stands on the real stores, in memory"},
	{Place: "internal/web/followweb", May: append([]string{"internal/web", "internal/follow", "internal/deliver", "internal/deliver/bounce"}, frontMay...), Tests: frontTests, Why: whyFront},
	{Place: "internal/web/readerweb", May: append([]string{"internal/web", "internal/deliver"}, frontMay...), Tests: append([]string{"internal/deliver/channel", "internal/mail", "internal/follow", "internal/web/followweb"}, frontTests...), Why: whyFront},
	{Place: "internal/web/rightsweb", May: append([]string{"internal/web", "internal/rights/...", "model"}, frontMay...), Tests: frontTests, Why: whyFront},
	{Place: "internal/web", May: append([]string{"internal/web/...", "internal/picture"}, frontMay...), Tests: append([]string{"internal/web/..."}, frontTests...), Why: whyFront},
	{Place: "internal/web/...", May: frontMay, Tests: frontTests, Why: whyFront},

	{Place: "internal/edge/...", May: []string{"dynamo", "dynamo/engine", "dynamo/wire", "blob", "blob/wire", "sigv4", "caller", "internal/errs"}, Tests: technology, Why: "the endpoint speaks the stores' protocols and knows nothing of the newsroom"},

	{Place: "internal/local/template", Why: "it reads a notation, and makes nothing"},
	{Place: "internal/local", May: []string{"internal/local/template", "dynamo", "dynamo/attr", "dynamo/token", "dynamo/wire", "blob", "atrest", "sigv4", "caller", "internal/edge", "internal/setting", "internal/ops/backup", "internal/errs"}, Tests: technology, Why: "the stand-in is the two stores and their port, and knows nothing of the newsroom"},

	{Place: "internal/demo", May: []string{
		"internal/desk/...", "internal/auth", "internal/story", "internal/outbound", "internal/errs", "internal/rights",
		"model", "llm/...",
	}, Tests: technology, Why: "the demo's content goes through the desks; only cli shows it"},

	{Place: "internal/cli/...", May: append([]string{"internal/..."}, technology...), Tests: []string{"guard/guardtest"}, Why: "only cli constructs things"},
	{Place: "internal/archtest", Why: "it reads source, it does not run it"},
	{Place: "cmd/pressroom-local", May: []string{"internal/local"}, Why: "main hands over and exits"},
	{Place: "cmd/pressroom", May: []string{"internal/cli"}, Why: "main hands over and exits"},
}

// MayNameDesks are the places outside desks' folders that name them, and why.
var MayNameDesks = map[string]string{
	"internal/cli/desks.go": "it is the list of desks",
	"internal/cli/demo.go":  "the demo's content is of all desks",
	"internal/demo":         "the demo's content is of all desks",
	"internal/thread/score": "the gold set's stories are of all desks",
}
