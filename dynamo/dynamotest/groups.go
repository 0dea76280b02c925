package dynamotest

import (
	"slices"
	"testing"
)

// group is the cases of one operation or subject, on tables of its own.
type group struct {
	name   string
	script string // testdata/<script>.txt, or ""
	cases  []testCase
}

// testCase is one claim about DynamoDB.
type testCase struct {
	name string
	// needs is what a target must have: "clock", "http", "backups",
	// "embedded".
	needs []string
	run   func(*suite)
}

// all lists the script's cases, then those in Go.
func (g *group) all(t testing.TB) []testCase {
	var list []testCase
	if g.script != "" {
		list = load(t, g.script).cases()
	}
	return append(list, g.cases...)
}

// groups are the whole suite.
var groups = []group{
	{"Values", "values", valueCases},
	{"GetItem", "getitem", nil},
	{"PutItem", "putitem", nil},
	{"DeleteItem", "deleteitem", nil},
	{"UpdateItem", "updateitem", nil},
	{"Conditions", "conditions", nil},
	{"Query", "query", nil},
	{"Scan", "scan", nil},
	{"Paging", "paging", pagingCases},
	{"Indexes", "indexes", nil},
	{"MultiAttributeKeys", "multikeys", nil},
	{"BatchGetItem", "batchgetitem", nil},
	{"BatchWriteItem", "batchwriteitem", nil},
	{"TransactGetItems", "transactgetitems", nil},
	{"TransactWriteItems", "transactwriteitems", nil},
	{"ExecuteStatement", "executestatement", nil},
	{"BatchExecuteStatement", "batchexecutestatement", nil},
	{"ExecuteTransaction", "executetransaction", nil},
	{"Legacy", "legacy", nil},
	{"Bounds", "bounds", boundCases},
	{"CreateTable", "createtable", nil},
	{"UpdateTable", "updatetable", nil},
	{"Tables", "tables", nil},
	{"ListTables", "listtables", listTableCases},
	{"TimeToLive", "timetolive", nil},
	{"Expiry", "expiry", expiryCases},
	{"Streams", "streams", streamCases},
	{"Backups", "backups", backupCases},
	{"Recovery", "recovery", recoveryCases},
	{"Tags", "tags", nil},
	{"ResourcePolicies", "policies", nil},
	{"Elsewhere", "elsewhere", nil},
	{"Exports", "exports", nil},
	{"Limits", "limits", nil},
	{"HTTP", "http", httpCases},
}

func run(t *testing.T, open func(testing.TB) Target, only []string) {
	for i := range groups {
		g := &groups[i]
		if only != nil && !slices.Contains(only, g.name) {
			continue
		}
		t.Run(g.name, func(t *testing.T) {
			s := newSuite(t, open(t))
			if s.Slow {
				t.Parallel()
			}
			g.run(s)
		})
	}
}

func (g *group) run(s *suite) {
	var sc *script
	if g.script != "" {
		sc = load(s.T, g.script)
		sc.prepare(s)
	}
	list := g.cases
	if sc != nil {
		list = append(sc.cases(), g.cases...)
	}
	for _, c := range list {
		s.T.Run(c.name, func(t *testing.T) {
			s.skipUnless(t, c.needs)
			c.run(s.on(t))
		})
	}
}

func (s *suite) skipUnless(t *testing.T, needs []string) {
	have := map[string]bool{
		"clock":    s.Advance != nil,
		"http":     s.Post != nil,
		"backups":  s.Backups,
		"embedded": s.Embedded,
	}
	for _, n := range needs {
		if ok, known := have[n]; !known {
			t.Fatalf("a case cannot need %q", n)
		} else if !ok {
			t.Skip("the target has no " + n)
		}
	}
}
