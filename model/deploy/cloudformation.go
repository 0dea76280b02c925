package deploy

import (
	"encoding/json"
	"io"
	"maps"
	"slices"
	"strings"

	"pressroom/model"
)

// The parts of a template, with CloudFormation's own names.
type (
	template struct {
		AWSTemplateFormatVersion string
		Description              string
		Parameters               map[string]parameter `json:",omitempty"`
		Resources                map[string]resource
		Outputs                  map[string]output

		ids map[string]string // of tables and buckets, by kind and name
	}
	resource struct {
		Type                string
		DeletionPolicy      string `json:",omitempty"`
		UpdateReplacePolicy string `json:",omitempty"`
		Properties          any
	}
	output struct {
		Description string
		Value       any
	}
	tableProperties struct {
		TableName                        string
		BillingMode                      string
		AttributeDefinitions             []attributeDefinition
		KeySchema                        []keyElement
		GlobalSecondaryIndexes           []indexProperties     `json:",omitempty"`
		TimeToLiveSpecification          *timeToLiveProperties `json:",omitempty"`
		PointInTimeRecoverySpecification *recoveryProperties   `json:",omitempty"`
		SSESpecification                 *encryptionProperties `json:",omitempty"`
		StreamSpecification              *streamProperties     `json:",omitempty"`
		Tags                             []tagProperties       `json:",omitempty"`
	}
	attributeDefinition struct{ AttributeName, AttributeType string }
	keyElement          struct{ AttributeName, KeyType string }
	indexProperties     struct {
		IndexName  string
		KeySchema  []keyElement
		Projection projectionProperties
	}
	projectionProperties struct {
		ProjectionType   string
		NonKeyAttributes []string `json:",omitempty"`
	}
	timeToLiveProperties struct {
		AttributeName string
		Enabled       bool
	}
	recoveryProperties struct {
		PointInTimeRecoveryEnabled bool
		RecoveryPeriodInDays       int
	}
	encryptionProperties struct{ SSEEnabled bool }
	streamProperties     struct{ StreamViewType string }
	tagProperties        struct{ Key, Value string }

	bucketProperties struct {
		BucketName                     string
		PublicAccessBlockConfiguration map[string]bool
		VersioningConfiguration        *versioningProperties `json:",omitempty"`
		LifecycleConfiguration         *lifecycleProperties  `json:",omitempty"`
	}
	versioningProperties struct{ Status string }
	lifecycleProperties  struct {
		Rules                              []ruleProperties
		TransitionDefaultMinimumObjectSize string
	}
	ruleProperties struct {
		ID                             string `json:"Id"`
		Status                         string
		Prefix                         string                 `json:",omitempty"`
		Transitions                    []transitionProperties `json:",omitempty"`
		ExpirationInDays               int                    `json:",omitempty"`
		ExpiredObjectDeleteMarker      bool                   `json:",omitempty"`
		NoncurrentVersionExpiration    *noncurrentProperties  `json:",omitempty"`
		AbortIncompleteMultipartUpload *abortProperties       `json:",omitempty"`
	}
	transitionProperties struct {
		StorageClass     string
		TransitionInDays int
	}
	abortProperties      struct{ DaysAfterInitiation int }
	noncurrentProperties struct{ NoncurrentDays int }
)

// VersionsRule is the name of the lifecycle rule that ends old versions.
const VersionsRule = "pressroom-recovery"

// StackOptions adjust a template. The zero value, and nil, are usable.
type StackOptions struct {
	// Roles are made beside the tables and buckets.
	Roles []Role
	// VersionDays is how long buckets keep what is replaced or deleted; 0 is not
	// at all.
	VersionDays int
}

// CloudFormation writes a template, in JSON, that makes the same tables and
// buckets, and the roles of processes that use them. Deleting the stack keeps
// tables and buckets.
func CloudFormation(w io.Writer, o *StackOptions, schemas ...model.Schema) error {
	if o == nil {
		o = &StackOptions{}
	}
	t := template{
		AWSTemplateFormatVersion: "2010-09-09", Description: "Tables, buckets and roles of Pressroom",
		Resources: map[string]resource{}, Outputs: map[string]output{}, ids: map[string]string{},
	}
	for _, s := range schemas {
		if err := s.Validate(); err != nil {
			return err
		}
		for i := range s.Tables {
			t.add("AWS::DynamoDB::Table", s.Tables[i].Name, "Table", s.Tables[i].Purpose, tableTemplate(&s.Tables[i]))
		}
		for i := range s.Buckets {
			t.add("AWS::S3::Bucket", s.Buckets[i].Name, "Bucket", s.Buckets[i].Purpose, bucketTemplate(&s.Buckets[i], o.VersionDays))
		}
	}
	if len(o.Roles) > 0 {
		t.Parameters = map[string]parameter{processService: services}
	}
	for _, r := range o.Roles {
		t.Resources[r.Name+"Role"] = resource{Type: "AWS::IAM::Role", Properties: t.role(r, schemas)}
		t.Outputs[r.Name+"RoleArn"] = output{Description: r.Doc, Value: map[string]any{"Fn::GetAtt": []string{r.Name + "Role", "Arn"}}}
	}
	enc := json.NewEncoder(w)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(t)
}

func (t *template) add(kind, name, suffix, purpose string, properties any) {
	id := logicalID(name, suffix)
	for _, taken := t.Resources[id]; taken; _, taken = t.Resources[id] {
		id += suffix // "users" and "Users" are two tables
	}
	t.Resources[id] = resource{Type: kind, DeletionPolicy: "Retain", UpdateReplacePolicy: "Retain", Properties: properties}
	t.ids[strings.ToLower(suffix)+" "+name] = id
	t.Outputs[id+"Name"] = output{Description: purpose, Value: map[string]string{"Ref": id}}
}

// logicalID makes a name of letters and digits: "PoliTopics-llm-tasks" becomes
// PoliTopicsLlmTasksTable.
func logicalID(name, suffix string) string {
	var b strings.Builder
	for word := range strings.FieldsFuncSeq(name, func(r rune) bool { return r == '-' || r == '.' || r == '_' }) {
		b.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	if !strings.HasSuffix(b.String(), suffix) {
		b.WriteString(suffix)
	}
	return b.String()
}

func tableTemplate(t *model.Table) tableProperties {
	in := CreateTable(t)
	p := tableProperties{TableName: t.Name, BillingMode: string(in.BillingMode), KeySchema: keyElements(t.PK, t.SK)}
	for _, a := range in.AttributeDefinitions {
		p.AttributeDefinitions = append(p.AttributeDefinitions, attributeDefinition{*a.AttributeName, string(a.AttributeType)})
	}
	for _, x := range t.Indexes {
		p.GlobalSecondaryIndexes = append(p.GlobalSecondaryIndexes, indexProperties{x.Name, keyElements(x.PK, x.SK), projectionProperties{string(x.Projection), x.Include}})
	}
	if t.TTL != "" {
		p.TimeToLiveSpecification = &timeToLiveProperties{t.TTL, true}
	}
	if t.RecoveryDays > 0 {
		p.PointInTimeRecoverySpecification = &recoveryProperties{true, t.RecoveryDays}
	}
	if t.Encrypted {
		p.SSESpecification = &encryptionProperties{true}
	}
	if t.Stream != "" {
		p.StreamSpecification = &streamProperties{t.Stream}
	}
	for _, key := range slices.Sorted(maps.Keys(t.Tags)) {
		p.Tags = append(p.Tags, tagProperties{key, t.Tags[key]})
	}
	return p
}

func keyElements(pk, sk model.Key) []keyElement {
	keys := []keyElement{{pk.Name, "HASH"}}
	if sk.Name != "" {
		keys = append(keys, keyElement{sk.Name, "RANGE"})
	}
	return keys
}

func bucketTemplate(b *model.Bucket, versionDays int) bucketProperties {
	p := bucketProperties{BucketName: b.Name, PublicAccessBlockConfiguration: map[string]bool{
		"BlockPublicAcls": true, "BlockPublicPolicy": true, "IgnorePublicAcls": true, "RestrictPublicBuckets": true,
	}}
	if versionDays > 0 {
		p.VersioningConfiguration = &versioningProperties{"Enabled"}
	}
	if len(b.Lifecycle) == 0 && versionDays == 0 {
		return p
	}
	p.LifecycleConfiguration = &lifecycleProperties{TransitionDefaultMinimumObjectSize: string(anySize)}
	for _, r := range b.Lifecycle {
		rule := ruleProperties{ID: r.ID, Status: "Enabled", Prefix: r.Prefix, ExpirationInDays: r.ExpiresAfter}
		if r.ColdAfter > 0 {
			rule.Transitions = []transitionProperties{{r.Class, r.ColdAfter}}
		}
		if r.AbortAfter > 0 {
			rule.AbortIncompleteMultipartUpload = &abortProperties{r.AbortAfter}
		}
		p.LifecycleConfiguration.Rules = append(p.LifecycleConfiguration.Rules, rule)
	}
	if versionDays > 0 {
		p.LifecycleConfiguration.Rules = append(p.LifecycleConfiguration.Rules, ruleProperties{
			ID: VersionsRule, Status: "Enabled", ExpiredObjectDeleteMarker: true, NoncurrentVersionExpiration: &noncurrentProperties{versionDays},
		})
	}
	return p
}
