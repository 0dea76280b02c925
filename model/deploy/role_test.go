package deploy

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"pressroom/model"
)

// guild is a schema with patterns and objects, and one that its roles differ in.
func guild() []model.Schema {
	s := shop()
	s.Tables[0].Entities = []model.Entity{{Name: "Thing", PK: "T#{id}", SK: "ONE",
		Keys:   []model.IndexKey{{Index: "ByC", PK: "ALL", SK: "{id}"}},
		Fields: []model.Field{{Name: "id", Size: 8}, {Name: "ttl", Kind: model.Epoch}}}}
	s.Tables[0].Indexes = s.Tables[0].Indexes[2:]
	s.Tables[0].Patterns = []model.Pattern{
		{Name: "One", Who: "reader", Asks: "a thing", Op: model.Get, Yields: []string{"Thing"}, By: []string{"id"}},
		{Name: "All", Who: "reader", Asks: "all things", Op: model.Query, Index: "ByC", Yields: []string{"Thing"}, Limit: 10},
	}
	id := []model.Field{{Name: "id", Max: 8}}
	s.Buckets[0].Objects = []model.Object{
		{Name: "Raw", Key: "raw/{id}", Vars: id}, {Name: "Old", Key: "raw/old/{id}", Vars: id}, {Name: "Cut", Key: "cut/{id}", Vars: id},
	}
	till := model.Schema{Name: "till", Tables: []model.Table{{Name: "till", PK: model.Key{Name: "pk"}}}}
	return []model.Schema{s, till}
}

// TestRoles reads the roles of a template back: each has its own schemas, their
// indexes that patterns use and their objects by prefix, and nothing else.
func TestRoles(t *testing.T) {
	var out bytes.Buffer
	o := &StackOptions{VersionDays: 35, Roles: []Role{
		{Name: "Clerk", Doc: "sells", Schemas: []string{"shop", "till"}, Streams: true},
		{Name: "Porter", Doc: "carries", Schemas: []string{"shop", "no such schema"}},
	}}
	if err := CloudFormation(&out, o, guild()...); err != nil {
		t.Fatal(err)
	}
	var got struct {
		Parameters map[string]parameter
		Resources  map[string]struct {
			Type, DeletionPolicy string
			Properties           struct {
				roleProperties
				VersioningConfiguration versioningProperties
				LifecycleConfiguration  lifecycleProperties
			}
		}
		Outputs map[string]output
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if p := got.Parameters[processService]; !slices.Contains(p.AllowedValues, p.Default) {
		t.Errorf("parameters: %+v", got.Parameters)
	}
	table, index := `{"Fn::GetAtt":["ShopTable","Arn"]}`, `{"Fn::Sub":"${ShopTable.Arn}/index/ByC"}`
	shared := []string{
		"ShopTableItems " + table, "ShopTableIndexes " + index, "ShopTableWithoutIndex " + table,
		`ShopPicturesBucket {"Fn::GetAtt":["ShopPicturesBucket","Arn"]}`,
		`ShopPicturesBucketObjects {"Fn::Sub":"${ShopPicturesBucket.Arn}/cut/*"} {"Fn::Sub":"${ShopPicturesBucket.Arn}/raw/*"}`,
	}
	want := map[string][]string{
		"PorterRole": shared,
		"ClerkRole": append(slices.Insert(slices.Clone(shared), 3, `ShopTableChanges {"Fn::GetAtt":["ShopTable","StreamArn"]}`),
			`TillTableItems {"Fn::GetAtt":["TillTable","Arn"]}`),
	}
	for name, statements := range want {
		role := got.Resources[name]
		if role.Type != "AWS::IAM::Role" || role.DeletionPolicy != "" || len(role.Properties.Policies) != 1 {
			t.Fatalf("%s: %+v", name, role)
		}
		var found []string
		for _, s := range role.Properties.Policies[0].PolicyDocument.Statement {
			line := s.Sid
			for _, r := range s.Resource {
				text, err := json.Marshal(r)
				if err != nil {
					t.Fatal(err)
				}
				line += " " + string(text)
			}
			found = append(found, line)
			for _, action := range s.Action {
				if strings.Contains(action, "*") || strings.HasSuffix(action, "Table") && action != "dynamodb:DescribeTable" || strings.HasSuffix(action, "Scan") && !strings.HasSuffix(s.Sid, "WithoutIndex") {
					t.Errorf("%s may %s", name, action)
				}
			}
		}
		if diff := cmp.Diff(statements, found); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	bucket := got.Resources["ShopPicturesBucket"].Properties
	rules := bucket.LifecycleConfiguration.Rules
	if last := rules[len(rules)-1]; bucket.VersioningConfiguration.Status != "Enabled" || last.ID != VersionsRule || last.NoncurrentVersionExpiration.NoncurrentDays != 35 {
		t.Errorf("versions: %+v", bucket)
	}
}

// TestMissing finds what is not made yet, and nothing once it is.
func TestMissing(t *testing.T) {
	st := open(t)
	missing := func(want ...string) {
		t.Helper()
		got, err := Missing(t.Context(), st, guild()...)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("missing %v, %v, want %v", got, err, want)
		}
	}
	missing("table shop", "bucket shop-pictures", "table till")
	part := guild()[:1]
	part[0].Tables[0].Indexes = nil
	part[0].Tables[0].Entities, part[0].Tables[0].Patterns = nil, nil
	if err := Apply(t.Context(), st, nil, part...); err != nil {
		t.Fatal(err)
	}
	missing("index ByC of shop", "table till")
	if err := Apply(t.Context(), st, nil, guild()...); err != nil {
		t.Fatal(err)
	}
	missing()
	if _, err := Missing(t.Context(), Store{Tables: st.Tables}, guild()...); err == nil {
		t.Error("a store without objects has buckets")
	}
}
