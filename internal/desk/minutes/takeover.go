package minutes

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	streams "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"pressroom/internal/errs"
	"pressroom/model"
)

// Other programs write tasks and articles, and know nothing of what the desk adds: the
// mark by which it finds completed tasks, the places of an article in its own lists.
// Whoever reads the tables' streams asks [Desk.TakeOver] to add them.

// affected yields the article that a change of either table concerns.
func (d *Desk) affected(ctx context.Context, table string, change streams.Record) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		if change.Dynamodb == nil {
			return
		}
		keys, err := attributevalue.FromDynamoDBStreamsMap(change.Dynamodb.Keys)
		if err != nil {
			return // keys of another kind are of no item of ours
		}
		if table == d.tasks.Table() {
			pk, _ := keys["pk"].(*types.AttributeValueMemberS)
			if pk == nil {
				return
			}
			t, err := d.tasks.Get(ctx, model.Values{"pk": pk.Value})
			if errors.Is(err, model.ErrNotFound) {
				return
			}
			yield(t.ID(), err)
			return
		}
		id, ok := changedArticle(keys)
		if !ok {
			return
		}
		yield(id, d.hear(ctx, id, change.Dynamodb))
	}
}

// hear follows a change of an article by another program: what was listed before is in
// the change alone. This desk counts its changes, and lists by itself.
func (d *Desk) hear(ctx context.Context, id string, change *streams.StreamRecord) error {
	old, err := attributevalue.FromDynamoDBStreamsMap(change.OldImage)
	now, err2 := attributevalue.FromDynamoDBStreamsMap(change.NewImage)
	if err != nil || err2 != nil || len(old) == 0 {
		return nil
	}
	if v := versionIn(now); v != "" && v != versionIn(old) {
		return nil
	}
	var before Article
	if attributevalue.UnmarshalMap(old, &before) != nil || !validDate(dayOf(before.Date)) {
		return nil
	}
	before.ID = id
	return d.takeArticle(ctx, id, before.entries())
}

func versionIn(item model.Raw) string {
	if n, ok := item["version"].(*types.AttributeValueMemberN); ok {
		return n.Value
	}
	return ""
}

// TakeOver adds what the desk needs to a meeting's task and article, if another program
// wrote or changed them, and carries out a mark that one left on a key without a task.
// What has it all is not touched.
func (d *Desk) TakeOver(ctx context.Context, id string) error {
	if err := d.takeMark(ctx, id); err != nil {
		return err
	}
	if err := d.takeTask(ctx, id); err != nil {
		return err
	}
	a, err := d.articles.Get(ctx, model.Values{"id": id})
	if errors.Is(err, model.ErrNotFound) || err == nil && !a.foreign() {
		return nil
	}
	if err != nil {
		return err
	}
	return d.takeArticle(ctx, id, nil)
}

// isMark reports whether an item of the tasks' table is no task: a consumer of document
// 001 marked the issueID, where the task's key is another, and DynamoDB made an item of
// the mark alone.
func (t *Task) isMark() bool {
	return t.CreatedAt == "" && t.PromptURL == "" && t.ResultURL == "" && t.Meeting == (Meeting{})
}

// takeMark applies a mark on a key that is not there to the task it means, and removes
// it.
func (d *Desk) takeMark(ctx context.Context, id string) error {
	mark, err := d.tasks.Get(ctx, model.Values{"pk": id})
	if errors.Is(err, model.ErrNotFound) || err == nil && !mark.isMark() {
		return nil
	}
	if err != nil {
		return err
	}
	t, err := d.GetTask(ctx, id)
	if errors.Is(err, errs.NotFound) {
		return nil // nobody knows what it means
	}
	if err != nil {
		return err
	}
	for i, c := range t.Chunks {
		ready := slices.ContainsFunc(mark.Chunks, func(m Chunk) bool { return m.ID == c.ID && m.Status == Ready })
		if !ready && mark.Status == Completed && c.Status != Ready {
			// Who marks a task so could not mark its chunks; their results tell.
			if ready, err = d.objects.exists(ctx, c.ResultURL); err != nil && !errors.Is(err, errPlace) {
				return err
			}
		}
		if ready && c.Status != Ready {
			if err := d.markReady(ctx, &t, i); err != nil {
				return err
			}
		}
	}
	if mark.Status == Completed {
		if err := d.succeeded(ctx, &t); err != nil && !errors.Is(err, errs.Conflict) {
			return err
		}
	}
	err = d.tasks.Delete(ctx, mark.key(), expression.AttributeNotExists(expression.Name("createdAt")), same("updatedAt", mark.UpdatedAt))
	if errors.Is(err, model.ErrCondition) {
		return nil // it was marked again, and is heard of again
	}
	return err
}

// takeTask gives a task the mark by which the desk finds it: as long as its article is
// not published, or as one in a state that nobody here knows.
func (d *Desk) takeTask(ctx context.Context, id string) error {
	t, err := d.GetTask(ctx, id)
	if errors.Is(err, errs.NotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	want := awaitingArticle
	switch t.Status {
	case Pending, Failed, Review:
	case Completed:
		if t.Awaiting == "" {
			_, err := d.articles.Get(ctx, model.Values{"id": t.ID()})
			if err == nil || !errors.Is(err, model.ErrNotFound) {
				return err
			}
			if _, gone, err := d.o.Stories.Gone(ctx, refOf(t.ID())); gone || err != nil {
				return err
			}
		}
	default:
		want = awaitingOperator
	}
	if t.Awaiting == want {
		return nil
	}
	err = d.setStatus(ctx, &t, expression.Set(expression.Name("awaiting"), expression.Value(want)),
		expression.Name("status").Equal(expression.Value(t.Status)).And(same("awaiting", t.Awaiting)))
	if errors.Is(err, errs.Conflict) {
		return nil // whoever was faster is heard of
	}
	return err
}

// takeArticle makes the index items of an article what follows from it, and removes
// those that followed from what it was.
func (d *Desk) takeArticle(ctx context.Context, id string, old []entry) error {
	a, err := d.articles.Get(ctx, model.Values{"id": id})
	gone := errors.Is(err, model.ErrNotFound)
	if err != nil && !gone {
		return err
	}
	var want []entry
	if !gone {
		if !validDate(dayOf(a.Date)) {
			return nil // it cannot be listed; nobody here knows what it means
		}
		want = a.entries()
	}
	missing, err := d.unlike(ctx, &a, want)
	if err != nil {
		return err
	}
	return d.relist(ctx, &a, id, gone, missing, minus(old, want))
}

// unlike returns the entries whose items are not there, or lack something that the
// article says.
func (d *Desk) unlike(ctx context.Context, a *Article, want []entry) ([]entry, error) {
	var out []entry
	for _, k := range Kinds {
		var of []entry
		for _, e := range want {
			if e.Kind == k {
				of = append(of, e)
			}
		}
		if len(of) == 0 {
			continue
		}
		there, err := d.thins[k].all(ctx, of, a.ID)
		if err != nil {
			return nil, err
		}
		for _, e := range of {
			if item, ok := there[e.Value]; !ok || !item.Light.equal(a.thin(e).Light) {
				out = append(out, e)
			}
		}
	}
	return out, nil
}

// relist writes index items beside an article that stays as it was read, and removes
// others. What another program keeps in them stays.
func (d *Desk) relist(ctx context.Context, a *Article, id string, gone bool, put, remove []entry) error {
	unchanged := expression.AttributeNotExists(expression.Name("PK"))
	if !gone {
		unchanged = expression.AttributeExists(expression.Name("PK")).And(expression.AttributeNotExists(expression.Name("version")))
		if a.Version > 0 {
			unchanged = expression.Name("version").Equal(expression.Value(a.Version))
		}
	}
	table := &d.schema.Tables[1]
	head, _ := table.Entity("Article")
	key, err := table.Key(head, model.Values{"id": id})
	if err != nil {
		return err
	}
	expr, err := expression.NewBuilder().WithCondition(unchanged).Build()
	if err != nil {
		return err
	}
	check := types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: &table.Name, Key: key, ConditionExpression: expr.Condition(), ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	}}
	var writes []types.TransactWriteItem
	for _, e := range put {
		w, err := d.listing(a, e)
		if err != nil {
			return err
		}
		writes = append(writes, w)
	}
	for _, e := range remove {
		entity, _ := table.Entity(d.thins[e.Kind].entity())
		key, err := table.Key(entity, d.thins[e.Kind].at(e, id))
		if err != nil {
			continue // it never had a place
		}
		writes = append(writes, types.TransactWriteItem{Delete: &types.Delete{
			TableName: &table.Name, Key: key, ConditionExpression: aws.String("attribute_not_exists(saveId)"),
		}})
	}
	for some := range slices.Chunk(writes, model.MaxTransaction-1) {
		_, err := d.db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: append([]types.TransactWriteItem{check}, some...)})
		var cancelled *types.TransactionCanceledException
		if errors.As(err, &cancelled) {
			return nil // somebody saves the article now, and is heard of
		}
		if err != nil {
			return fmt.Errorf("list article %s: %w", id, err)
		}
	}
	return nil
}

// listing is the write of an article's index item.
func (d *Desk) listing(a *Article, e entry) (types.TransactWriteItem, error) {
	table := &d.schema.Tables[1]
	entity, _ := table.Entity(d.thins[e.Kind].entity())
	key, err := table.Key(entity, d.thins[e.Kind].at(e, a.ID))
	if err != nil {
		return types.TransactWriteItem{}, err
	}
	item, err := attributevalue.MarshalMap(a.thin(e))
	if err != nil {
		return types.TransactWriteItem{}, err
	}
	item[model.SchemaVersionAttribute] = &types.AttributeValueMemberN{Value: strconv.Itoa(entity.SchemaVersion())}
	var update expression.UpdateBuilder
	for name, value := range item {
		update = update.Set(expression.Name(name), expression.Value(value))
	}
	expr, err := expression.NewBuilder().WithUpdate(update).WithCondition(expression.AttributeNotExists(expression.Name(model.SaveAttribute))).Build()
	return types.TransactWriteItem{Update: &types.Update{
		TableName: &table.Name, Key: key, UpdateExpression: expr.Update(), ConditionExpression: expr.Condition(),
		ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	}}, err
}
