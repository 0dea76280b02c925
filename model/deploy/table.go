package deploy

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/model"
)

func (p *planner) table(ctx context.Context, t *model.Table) error {
	out, err := p.st.Tables.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &t.Name})
	var missing *types.ResourceNotFoundException
	if errors.As(err, &missing) {
		p.newTable(t)
		return nil
	}
	if err != nil {
		return err
	}
	return p.oldTable(ctx, t, out.Table)
}

// newTable plans a table with all that belongs to it.
func (p *planner) newTable(t *model.Table) {
	in := CreateTable(t)
	p.step(func(ctx context.Context) error {
		if _, err := p.st.Tables.CreateTable(ctx, in); err != nil {
			return err
		}
		return p.waitActive(ctx, t.Name)
	}, "create table %s with %d indexes", t.Name, len(t.Indexes))
	if t.TTL != "" {
		p.timeToLive(t)
	}
	if t.RecoveryDays > 0 {
		p.recovery(t)
	}
}

// CreateTable is the request that makes the table.
func CreateTable(t *model.Table) *dynamodb.CreateTableInput {
	in := &dynamodb.CreateTableInput{
		TableName: aws.String(t.Name), BillingMode: types.BillingModePayPerRequest,
		AttributeDefinitions: definitions(t), KeySchema: keySchema(t.PK, t.SK), Tags: tags(t.Tags),
	}
	for i := range t.Indexes {
		x := &t.Indexes[i]
		in.GlobalSecondaryIndexes = append(in.GlobalSecondaryIndexes, types.GlobalSecondaryIndex{
			IndexName: aws.String(x.Name), KeySchema: keySchema(x.PK, x.SK), Projection: projection(x),
		})
	}
	if t.Stream != "" {
		in.StreamSpecification = stream(t)
	}
	if t.Encrypted {
		in.SSESpecification = &types.SSESpecification{Enabled: aws.Bool(true)}
	}
	return in
}

func stream(t *model.Table) *types.StreamSpecification {
	return &types.StreamSpecification{StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewType(t.Stream)}
}

// definitions returns the key attributes of table and indexes, each once.
func definitions(t *model.Table) []types.AttributeDefinition {
	kinds := map[string]string{}
	add := func(keys ...model.Key) {
		for _, k := range keys {
			if k.Name != "" {
				kinds[k.Name] = k.Kind.DynamoDB()
			}
		}
	}
	add(t.PK, t.SK)
	for _, x := range t.Indexes {
		add(x.PK, x.SK)
	}
	var all []types.AttributeDefinition
	for _, name := range slices.Sorted(maps.Keys(kinds)) {
		all = append(all, types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeType(kinds[name])})
	}
	return all
}

func keySchema(pk, sk model.Key) []types.KeySchemaElement {
	keys := []types.KeySchemaElement{{AttributeName: aws.String(pk.Name), KeyType: types.KeyTypeHash}}
	if sk.Name != "" {
		keys = append(keys, types.KeySchemaElement{AttributeName: aws.String(sk.Name), KeyType: types.KeyTypeRange})
	}
	return keys
}

func projection(x *model.Index) *types.Projection {
	return &types.Projection{ProjectionType: types.ProjectionType(x.Projection), NonKeyAttributes: x.Include}
}

func tags(m map[string]string) []types.Tag {
	var all []types.Tag
	for _, key := range slices.Sorted(maps.Keys(m)) {
		all = append(all, types.Tag{Key: aws.String(key), Value: aws.String(m[key])})
	}
	return all
}

func (p *planner) timeToLive(t *model.Table) {
	p.step(func(ctx context.Context) error {
		_, err := p.st.Tables.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{TableName: &t.Name,
			TimeToLiveSpecification: &types.TimeToLiveSpecification{AttributeName: &t.TTL, Enabled: aws.Bool(true)}})
		_, err = p.optional("time to live", err)
		return err
	}, "expire items of %s by %s", t.Name, t.TTL)
}

func (p *planner) recovery(t *model.Table) {
	p.step(func(ctx context.Context) error {
		_, err := p.st.Tables.UpdateContinuousBackups(ctx, &dynamodb.UpdateContinuousBackupsInput{TableName: &t.Name,
			PointInTimeRecoverySpecification: &types.PointInTimeRecoverySpecification{PointInTimeRecoveryEnabled: aws.Bool(true), RecoveryPeriodInDays: aws.Int32(int32(t.RecoveryDays))}})
		_, err = p.optional("point-in-time recovery", err)
		return err
	}, "keep %s recoverable for %d days", t.Name, t.RecoveryDays)
}

// oldTable plans what a table lacks.
func (p *planner) oldTable(ctx context.Context, t *model.Table, d *types.TableDescription) error {
	if !slices.EqualFunc(d.KeySchema, keySchema(t.PK, t.SK), sameKey) || !sameTypes(d, t) {
		p.problem("table %s has other keys", t.Name)
		return nil
	}
	for i := range t.Indexes {
		p.index(t, &t.Indexes[i], d)
	}
	p.oldStream(t, d)
	if err := p.oldTimeToLive(ctx, t); err != nil {
		return err
	}
	known, err := p.oldRecovery(ctx, t)
	if err != nil {
		return err
	}
	p.oldEncryption(t, d, known)
	return p.oldTags(ctx, t, d)
}

func sameKey(a, b types.KeySchemaElement) bool {
	return aws.ToString(a.AttributeName) == aws.ToString(b.AttributeName) && a.KeyType == b.KeyType
}

// sameTypes reports whether the attributes that both define have the same types.
func sameTypes(d *types.TableDescription, t *model.Table) bool {
	has := map[string]types.ScalarAttributeType{}
	for _, a := range d.AttributeDefinitions {
		has[*a.AttributeName] = a.AttributeType
	}
	for _, a := range definitions(t) {
		if kind, ok := has[*a.AttributeName]; ok && kind != a.AttributeType {
			return false
		}
	}
	return true
}

func (p *planner) index(t *model.Table, x *model.Index, d *types.TableDescription) {
	i := slices.IndexFunc(d.GlobalSecondaryIndexes, func(g types.GlobalSecondaryIndexDescription) bool { return aws.ToString(g.IndexName) == x.Name })
	if i < 0 {
		p.step(func(ctx context.Context) error { return p.addIndex(ctx, t, x) }, "add index %s to %s", x.Name, t.Name)
		return
	}
	g := d.GlobalSecondaryIndexes[i]
	differs := p.problem
	if p.st.ReplaceIndexes {
		once := false
		differs = func(format string, args ...any) {
			if !once {
				once = true
				p.step(func(ctx context.Context) error { return p.replaceIndex(ctx, t, x) }, "replace index %s of %s", x.Name, t.Name)
			}
		}
	}
	if !slices.EqualFunc(g.KeySchema, keySchema(x.PK, x.SK), sameKey) {
		differs("index %s of %s has other keys", x.Name, t.Name)
	}
	has, want := slices.Sorted(slices.Values(g.Projection.NonKeyAttributes)), slices.Sorted(slices.Values(x.Include))
	if g.Projection.ProjectionType != types.ProjectionType(x.Projection) || !slices.Equal(has, want) {
		differs("index %s of %s projects other attributes", x.Name, t.Name)
	}
}

// replaceIndex removes an index and makes it anew.
func (p *planner) replaceIndex(ctx context.Context, t *model.Table, x *model.Index) error {
	_, err := p.st.Tables.UpdateTable(ctx, &dynamodb.UpdateTableInput{TableName: &t.Name,
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Delete: &types.DeleteGlobalSecondaryIndexAction{IndexName: &x.Name}}}})
	if err != nil {
		return err
	}
	if err := p.waitActive(ctx, t.Name); err != nil {
		return err
	}
	return p.addIndex(ctx, t, x)
}

func (p *planner) addIndex(ctx context.Context, t *model.Table, x *model.Index) error {
	_, err := p.st.Tables.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: &t.Name, AttributeDefinitions: definitions(&model.Table{PK: t.PK, SK: t.SK, Indexes: []model.Index{*x}}),
		GlobalSecondaryIndexUpdates: []types.GlobalSecondaryIndexUpdate{{Create: &types.CreateGlobalSecondaryIndexAction{
			IndexName: &x.Name, KeySchema: keySchema(x.PK, x.SK), Projection: projection(x),
		}}},
	})
	if err != nil {
		return err
	}
	return p.waitActive(ctx, t.Name)
}

// waitActive waits for the table and all its indexes.
func (p *planner) waitActive(ctx context.Context, name string) error {
	return poll(ctx, func() (bool, error) {
		out, err := p.st.Tables.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &name})
		if err != nil {
			return false, err
		}
		busy := slices.ContainsFunc(out.Table.GlobalSecondaryIndexes, func(g types.GlobalSecondaryIndexDescription) bool {
			return g.IndexStatus != types.IndexStatusActive
		})
		return out.Table.TableStatus == types.TableStatusActive && !busy, nil
	})
}

func (p *planner) oldStream(t *model.Table, d *types.TableDescription) {
	s := d.StreamSpecification
	on := s != nil && aws.ToBool(s.StreamEnabled)
	switch {
	case t.Stream == "":
	case !on:
		p.update(t, &dynamodb.UpdateTableInput{StreamSpecification: stream(t)}, "stream changes of %s", t.Name)
	case s.StreamViewType != types.StreamViewType(t.Stream):
		p.problem("table %s streams %s, not %s", t.Name, s.StreamViewType, t.Stream)
	}
}

// oldEncryption plans the encryption of a table that does not say that it is
// encrypted. An emulator never says so and refuses to turn it on; what tells it from
// the service is that it does not know of recovery.
func (p *planner) oldEncryption(t *model.Table, d *types.TableDescription, knowsRecovery bool) {
	switch {
	case !t.Encrypted || d.SSEDescription != nil && d.SSEDescription.Status != types.SSEStatusDisabled:
	case d.SSEDescription == nil && !knowsRecovery:
		p.plan.Notes = append(p.plan.Notes, "encryption: the store does not know it")
	default:
		p.update(t, &dynamodb.UpdateTableInput{SSESpecification: &types.SSESpecification{Enabled: aws.Bool(true)}}, "encrypt %s", t.Name)
	}
}

func (p *planner) update(t *model.Table, in *dynamodb.UpdateTableInput, format string, args ...any) {
	in.TableName = &t.Name
	p.step(func(ctx context.Context) error {
		if _, err := p.st.Tables.UpdateTable(ctx, in); err != nil {
			return err
		}
		return p.waitActive(ctx, t.Name)
	}, format, args...)
}

func (p *planner) oldTimeToLive(ctx context.Context, t *model.Table) error {
	if t.TTL == "" {
		return nil
	}
	out, err := p.st.Tables.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &t.Name})
	if known, err := p.optional("time to live", err); !known {
		return err
	}
	d := out.TimeToLiveDescription
	switch {
	case d == nil || d.TimeToLiveStatus == types.TimeToLiveStatusDisabled || d.TimeToLiveStatus == "":
		p.timeToLive(t)
	case aws.ToString(d.AttributeName) != t.TTL:
		p.problem("items of %s expire by %s, not by %s", t.Name, aws.ToString(d.AttributeName), t.TTL)
	}
	return nil
}

// oldRecovery plans the recovery that a table lacks, and reports whether the store
// knows of it.
func (p *planner) oldRecovery(ctx context.Context, t *model.Table) (known bool, err error) {
	if t.RecoveryDays == 0 {
		return true, nil
	}
	out, err := p.st.Tables.DescribeContinuousBackups(ctx, &dynamodb.DescribeContinuousBackupsInput{TableName: &t.Name})
	if known, err := p.optional("point-in-time recovery", err); !known {
		return false, err
	}
	if out.ContinuousBackupsDescription == nil {
		return false, fmt.Errorf("the store says nothing about its backups")
	}
	d := out.ContinuousBackupsDescription.PointInTimeRecoveryDescription
	if d == nil || d.PointInTimeRecoveryStatus != types.PointInTimeRecoveryStatusEnabled || int(aws.ToInt32(d.RecoveryPeriodInDays)) < t.RecoveryDays {
		p.recovery(t)
	}
	return true, nil
}

func (p *planner) oldTags(ctx context.Context, t *model.Table, d *types.TableDescription) error {
	if len(t.Tags) == 0 {
		return nil
	}
	out, err := p.st.Tables.ListTagsOfResource(ctx, &dynamodb.ListTagsOfResourceInput{ResourceArn: d.TableArn})
	if known, err := p.optional("tags", err); !known {
		return err
	}
	missing := maps.Clone(t.Tags)
	for _, tag := range out.Tags {
		if t.Tags[aws.ToString(tag.Key)] == aws.ToString(tag.Value) {
			delete(missing, aws.ToString(tag.Key))
		}
	}
	if len(missing) > 0 {
		p.step(func(ctx context.Context) error {
			_, err := p.st.Tables.TagResource(ctx, &dynamodb.TagResourceInput{ResourceArn: d.TableArn, Tags: tags(missing)})
			return err
		}, "tag %s", t.Name)
	}
	return nil
}
