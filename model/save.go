package model

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo"
)

// A head and the items that belong to it change together for every reader, however
// many they are.
//
// If they fit one transaction, that is all. Otherwise a save goes through these
// steps, and may be left in any of them by a crash:
//
//  1. parts: SAVE#… items list the keys of every item that the save touches.
//  2. staging: each item gets its next form beside the present one, under the save's
//     id. A new one is written with the id alone.
//  3. commit: the head is written with the save's id, or deleted, and the first part
//     is marked as committed.
//  4. tidying: next forms become present ones; then the parts go.
//
// Whoever reads an item under a save's id asks the head which form counts: views and
// repositories do so by themselves (settle.go). Whoever comes later finishes what
// was committed and undoes what was not ([Saver.Recover]). Undoing begins by marking
// the first part as not committed, which staging and commit check: so a slow save
// can neither go on nor happen once it is being undone.

// What becomes of a save besides what its commit answers.
var (
	// ErrSaving is a save that met an item which another one of the same head has. See
	// [Saver.Retry].
	ErrSaving = errors.New("another save is under way")
	// ErrGivenUp is a save that another one, or [Saver.Recover], did not wait for.
	ErrGivenUp = errors.New("the save was given up")
	// ErrUntidied is a save that has happened, for every reader, and is left to
	// [Saver.Recover] to be tidied up.
	ErrUntidied = errors.New("saved, and not tidied up")
)

// SavePart lists items of a staged save. A table with heads declares it as an
// entity, with [SavePartFields] and a place in an index for its first part.
type SavePart struct {
	SaveID    string     `dynamodbav:"saveId"`
	Part      int        `dynamodbav:"part"`
	ID        string     `dynamodbav:"id"` // the head's
	CreatedAt string     `dynamodbav:"createdAt"`
	Items     [][]string `dynamodbav:"items"`     // keys: partition, sort
	Committed *bool      `dynamodbav:"committed"` // nil as long as nobody has decided
}

// SavePartFields are the fields of a [SavePart].
func SavePartFields(idMax int) []Field {
	return []Field{
		{Name: "saveId", Size: 26, Max: 64},
		{Name: "part", Kind: Number},
		{Name: "id", Size: 26, Max: idMax},
		{Name: "createdAt", Kind: Time},
		{Name: "items", Kind: List, Size: 4000, Max: 350 << 10},
		{Name: "committed", Kind: Bool, Optional: true},
	}
}

func (p *SavePart) key() Values { return Values{"saveId": p.SaveID, "part": strconv.Itoa(p.Part)} }

// partBytes is how much of keys one part lists.
const partBytes = 200 << 10

// transactionBytes is how much goes into one transaction, of DynamoDB's 4 MB.
const transactionBytes = 3 << 20

// Change is what a save does to one item of a head; a Repo makes it.
type Change struct {
	item Raw // as it becomes, with its keys; of one that goes its key
	gone bool
	err  error
}

// Becomes is the change of an item to v, whether there is one or not.
func (r *Repo[T]) Becomes(v *T) Change {
	item, err := r.table.encode(r.entity, v)
	return Change{item: item, err: err}
}

// Goes is the change of an item that is deleted.
func (r *core) Goes(key Values) Change {
	k, err := r.table.Key(r.entity, key)
	return Change{item: k, gone: true, err: err}
}

// Saver saves heads of one entity. It may be used from many goroutines.
type Saver struct {
	db    dynamo.API
	table *Table
	head  *Entity
	name  string // the variable of the head's key
	parts *Repo[SavePart]
	open  *View[SavePart] // first parts by age
	of    *View[SavePart] // all parts of a save
	o     SaverOptions
}

// SaverOptions name the parts, and what a Saver works with.
type SaverOptions struct {
	Parts string // the entity; SavePart if empty
	Open  string // the pattern of unfinished saves, the oldest first; UnfinishedSaves if empty
	Of    string // the pattern of a save's parts; PartsOfSave if empty
	// Commit is how many pieces of its own a commit has at most; 1 if 0.
	Commit int
	// Age is how old a save is that nobody is working on any more; a minute if 0.
	Age time.Duration
	Now func() time.Time // time.Now if nil
}

// NewSaver returns a saver of the table's heads. The items that belong to a head
// have its entity as their Head.
func NewSaver(db dynamo.API, t *Table, head string, o SaverOptions) (*Saver, error) {
	e, ok := t.Entity(head)
	if !ok {
		return nil, fmt.Errorf("table %s has no entity %s", t.Name, head)
	}
	names := slices.Concat(e.PK.Vars(), e.SK.Vars())
	if len(names) != 1 {
		return nil, fmt.Errorf("the key of %s has not one variable, but %v", head, names)
	}
	s := &Saver{db: db, table: t, head: e, name: names[0], o: o}
	if s.o.Age == 0 {
		s.o.Age = time.Minute
	}
	if s.o.Commit == 0 {
		s.o.Commit = 1
	}
	if s.o.Now == nil {
		s.o.Now = time.Now
	}
	or := func(text, otherwise string) string {
		if text == "" {
			return otherwise
		}
		return text
	}
	var err error
	if s.parts, err = NewRepo[SavePart](db, t, or(o.Parts, "SavePart"), nil); err != nil {
		return nil, err
	}
	if s.open, err = s.parts.View(or(o.Open, "UnfinishedSaves")); err != nil {
		return nil, err
	}
	s.of, err = s.parts.View(or(o.Of, "PartsOfSave"))
	return s, err
}

// Save makes the changes visible by one write. id names the head, last is the save
// that it names as it was read, saveID a new id. commit does that write: a
// transaction of the head's own pieces and those that it is given. The head carries
// the id that commit gets in its saveId; that is "" if all changes are in the same
// transaction. commit may try again, but not after ErrSaving or ErrGivenUp. Whatever it answers is
// what Save answers, unless it happened and the tidying did not: that is
// ErrUntidied.
func (s *Saver) Save(ctx context.Context, id, last, saveID string, changes []Change, commit func(saveID string, also []Piece) error) error {
	for _, c := range changes {
		if c.err != nil {
			return fmt.Errorf("save %s: %w", id, c.err)
		}
	}
	if err := s.Finish(ctx, id, last); err != nil {
		return err
	}
	if s.o.Commit+len(changes) <= MaxTransaction && bytesOf(changes) <= transactionBytes {
		also := make([]Piece, len(changes))
		for i, c := range changes {
			also[i] = s.write(c.item, c.gone, free)
		}
		return commit("", also)
	}
	first, err := s.writeParts(ctx, id, saveID, changes)
	if err != nil {
		return fmt.Errorf("save %s: %w", id, err)
	}
	// From here on the save is ended one way or the other, whoever goes away.
	ending := context.WithoutCancel(ctx)
	if err := s.stage(ctx, first, changes); err != nil {
		_, failed := s.end(ending, first)
		return errors.Join(err, failed)
	}
	mark := s.parts.UpdatePiece(first.key(), decide(true), undecided)
	mark.failed = ErrGivenUp
	if err := commit(saveID, []Piece{mark}); err != nil {
		// Whether it happened after all, the part knows.
		committed, failed := s.end(ending, first)
		if committed && failed == nil {
			return nil
		}
		return errors.Join(err, failed)
	}
	if err := s.finish(ending, first); err != nil {
		return fmt.Errorf("save %s: %w", id, errors.Join(ErrUntidied, err))
	}
	return nil
}

// patience are the tries of a save at which it no longer waits for others. It grows,
// so that two saves which meet do not go on giving each other up, however slow the
// store is.
var patience = []int{3, 8, 16, 32, 64}

// saveTries is how often a save is begun that others are in the way of: for about
// half a minute.
const saveTries = 100

// Retry does a save, and does it again as long as it answers ErrSaving or ErrGivenUp.
// It waits for others to end, and in the end gives them up: nobody waits long for
// the dead. do reads what it saves over, so that only one of those who meet can
// happen to it.
func (s *Saver) Retry(ctx context.Context, id string, do func() error) error {
	for try := 1; ; try++ {
		err := do()
		if !errors.Is(err, ErrSaving) && !errors.Is(err, ErrGivenUp) || try == saveTries {
			return err
		}
		if slices.Contains(patience, try) {
			if _, err := s.recover(ctx, 0, func(p SavePart) bool { return p.ID == id }); err != nil {
				return err
			}
		}
		if err := Sleep(ctx, jitter(time.Duration(try)*10*time.Millisecond)); err != nil {
			return err
		}
	}
}

// undecided holds for a save that is neither committed nor given up.
var undecided = expression.AttributeNotExists(expression.Name("committed"))

func decide(committed bool) expression.UpdateBuilder {
	return expression.Set(expression.Name("committed"), expression.Value(committed))
}

// free is the condition that no save has an item.
var free = expression.AttributeNotExists(expression.Name(SaveAttribute))

func ours(saveID string) expression.ConditionBuilder {
	return expression.Name(SaveAttribute).Equal(expression.Value(saveID))
}

// write is an item as it becomes, or its deletion.
func (s *Saver) write(item Raw, gone bool, condition expression.ConditionBuilder) Piece {
	expr, err := build([]expression.ConditionBuilder{condition})
	p := Piece{what: "save " + s.table.Where(item), failed: ErrSaving, err: err}
	if gone {
		p.item.Delete = &types.Delete{
			TableName: &s.table.Name, Key: only(item, s.table.KeyNames()),
			ConditionExpression: expr.Condition(), ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
		}
		return p
	}
	p.item.Put = &types.Put{
		TableName: &s.table.Name, Item: item,
		ConditionExpression: expr.Condition(), ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
	}
	return p
}

// update changes an item's standing in a save.
func (s *Saver) update(item Raw, u expression.UpdateBuilder, condition expression.ConditionBuilder) Piece {
	expr, err := expression.NewBuilder().WithUpdate(u).WithCondition(condition).Build()
	return Piece{
		item: types.TransactWriteItem{Update: &types.Update{
			TableName: &s.table.Name, Key: only(item, s.table.KeyNames()), UpdateExpression: expr.Update(),
			ConditionExpression: expr.Condition(), ExpressionAttributeNames: expr.Names(), ExpressionAttributeValues: expr.Values(),
		}},
		what: "stage " + s.table.Where(item), failed: ErrSaving, err: err,
	}
}

// writeParts lists the items of a save and returns the first part.
func (s *Saver) writeParts(ctx context.Context, id, saveID string, changes []Change) (SavePart, error) {
	p := SavePart{SaveID: saveID, ID: id, CreatedAt: FormatTime(s.o.Now())}
	first, size := p, 0
	put := func() error {
		if p.Part == 0 {
			first = p
		}
		err := s.parts.Create(ctx, &p)
		p.Part, p.Items, size = p.Part+1, nil, 0
		return err
	}
	for _, c := range changes {
		pk, _ := textOf(c.item[s.table.PK.Name])
		sk, _ := textOf(c.item[s.table.SK.Name])
		if size += len(pk) + len(sk) + 10; size > partBytes {
			if err := put(); err != nil {
				return first, err
			}
		}
		p.Items = append(p.Items, []string{pk, sk})
	}
	return first, put()
}

// stage puts the next forms beside the present ones, as long as nobody has given the
// save up.
func (s *Saver) stage(ctx context.Context, first SavePart, changes []Change) error {
	id := &types.AttributeValueMemberS{Value: first.SaveID}
	pk := expression.Name(s.table.PK.Name)
	alive := s.parts.CheckPiece(first.key(), undecided)
	alive.failed = ErrGivenUp
	for _, some := range chunks(changes) {
		keys := make([]Raw, len(some))
		for i, c := range some {
			keys[i] = only(c.item, s.table.KeyNames())
		}
		present, err := s.table.batchGet(ctx, s.db, keys, true)
		if err != nil {
			return err
		}
		there := map[string]bool{}
		for _, item := range present {
			there[s.table.keyID(item)] = true
		}
		pieces := []Piece{alive}
		for _, c := range some {
			switch {
			case there[s.table.keyID(c.item)]:
				next := &types.AttributeValueMemberM{Value: c.item}
				if c.gone {
					next.Value = Raw{}
				}
				u := expression.Set(expression.Name(SaveAttribute), expression.Value(id)).Set(expression.Name(NextAttribute), expression.Value(next))
				pieces = append(pieces, s.update(c.item, u, free.And(pk.AttributeExists())))
			case !c.gone:
				item := maps.Clone(c.item)
				item[SaveAttribute] = id
				pieces = append(pieces, s.write(item, false, pk.AttributeNotExists()))
			}
		}
		if err := Transact(ctx, s.db, pieces...); err != nil {
			return err
		}
	}
	return nil
}

// chunks cuts changes into what one transaction takes, beside one more piece.
func chunks(changes []Change) [][]Change {
	var all [][]Change
	begin, size := 0, 0
	for i, c := range changes {
		n := sizeOf(&types.AttributeValueMemberM{Value: c.item})
		if i > begin && (i-begin == MaxTransaction-1 || size+n > transactionBytes) {
			all = append(all, changes[begin:i])
			begin, size = i, 0
		}
		size += n
	}
	return append(all, changes[begin:])
}

func bytesOf(changes []Change) int {
	n := 0
	for _, c := range changes {
		n += sizeOf(&types.AttributeValueMemberM{Value: c.item})
	}
	return n
}

// sizeOf is about how many bytes a value has.
func sizeOf(value types.AttributeValue) int {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return len(v.Value)
	case *types.AttributeValueMemberB:
		return len(v.Value)
	case *types.AttributeValueMemberM:
		n := 3
		for name, member := range v.Value {
			n += len(name) + sizeOf(member)
		}
		return n
	case *types.AttributeValueMemberL:
		n := 3
		for _, member := range v.Value {
			n += 1 + sizeOf(member)
		}
		return n
	case *types.AttributeValueMemberSS:
		n := 0
		for _, text := range v.Value {
			n += len(text)
		}
		return n
	}
	return 21
}

// Recovered says what Recover found.
type Recovered struct{ Finished, Undone int }

// Recover ends the saves that a crash interrupted, if they are older than the
// options' Age: what was committed is finished, what was not is undone. Readers see
// the same before and after.
func (s *Saver) Recover(ctx context.Context) (Recovered, error) {
	return s.RecoverOlder(ctx, s.o.Age)
}

// RecoverOlder is Recover with another age.
func (s *Saver) RecoverOlder(ctx context.Context, age time.Duration) (Recovered, error) {
	return s.recover(ctx, age, func(SavePart) bool { return true })
}

func (s *Saver) recover(ctx context.Context, age time.Duration, which func(SavePart) bool) (Recovered, error) {
	var r Recovered
	old := FormatTime(s.o.Now().Add(-age))
	for p, err := range s.open.All(ctx, nil, Window{}) {
		if err != nil {
			return r, fmt.Errorf("unfinished saves: %w", err)
		}
		if p.CreatedAt > old {
			break
		}
		if !which(p) {
			continue
		}
		committed, err := s.end(ctx, p)
		if err != nil {
			return r, fmt.Errorf("recover save %s of %s: %w", p.SaveID, p.ID, err)
		}
		if committed {
			r.Finished++
		} else {
			r.Undone++
		}
	}
	return r, nil
}

// end finishes a save or undoes it. If nobody has decided which, it is given up. It
// reports whether it finished what was committed.
func (s *Saver) end(ctx context.Context, p SavePart) (committed bool, err error) {
	decided, err := s.parts.Update(ctx, p.key(), decide(false), undecided)
	if errors.Is(err, ErrCondition) {
		decided, err = s.parts.Get(ctx, p.key())
	}
	if errors.Is(err, ErrNotFound) {
		return false, nil // another process has ended it in the meantime, one way or the other
	}
	if err != nil {
		return false, err
	}
	committed = *decided.Committed
	if !committed { // an earlier version did not mark what it committed
		if committed, err = s.isNamed(ctx, p); err != nil {
			return false, err
		}
	}
	if committed {
		return true, s.finish(ctx, p)
	}
	return false, s.undo(ctx, p)
}

// isNamed reports whether the head names the save.
func (s *Saver) isNamed(ctx context.Context, p SavePart) (bool, error) {
	key, err := s.table.Key(s.head, Values{s.name: p.ID})
	if err != nil {
		return false, err
	}
	saves, err := s.table.savesOf(ctx, s.db, []Raw{key})
	return saves[s.table.keyID(key)] == p.SaveID, err
}

// Open returns up to limit saves that are under way or were interrupted, the oldest
// first. Recover ends those that were.
func (s *Saver) Open(ctx context.Context, limit int) ([]SavePart, error) {
	var list []SavePart
	for p, err := range s.open.All(ctx, nil, Window{}) {
		if err != nil {
			return nil, fmt.Errorf("unfinished saves: %w", err)
		}
		if list = append(list, p); len(list) >= limit {
			break
		}
	}
	return list, nil
}

// Finish sees to it that the last save of a head, which it names, is tidied up: the
// items that it removed must be gone before the head forgets its id.
func (s *Saver) Finish(ctx context.Context, id, last string) error {
	if last == "" {
		return nil
	}
	first, err := s.parts.Get(ctx, Values{"saveId": last, "part": "0"})
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("last save of %s: %w", id, err)
	}
	return s.finish(ctx, first)
}

// finish makes next forms the present ones, for a save that its head names. It may
// be done again, and by several at once.
func (s *Saver) finish(ctx context.Context, first SavePart) error {
	return s.tidy(ctx, first, func(item Raw) Piece {
		next, staged := item[NextAttribute].(*types.AttributeValueMemberM)
		if !staged {
			return s.update(item, expression.Remove(expression.Name(SaveAttribute)), ours(first.SaveID))
		}
		e, _, _ := s.table.entityOf(item)
		if became := s.table.become(e, item, next.Value); became != nil {
			return s.write(became, false, ours(first.SaveID))
		}
		return s.write(item, true, ours(first.SaveID))
	})
}

// undo takes back what a save that was not committed has staged.
func (s *Saver) undo(ctx context.Context, first SavePart) error {
	return s.tidy(ctx, first, func(item Raw) Piece {
		if item[NextAttribute] == nil {
			return s.write(item, true, ours(first.SaveID))
		}
		return s.update(item, expression.Remove(expression.Name(SaveAttribute)).Remove(expression.Name(NextAttribute)), ours(first.SaveID))
	})
}

// tidy does a piece for every item that the save still has, then removes the save's
// parts, the first one last: as long as it is there, the save is found. Pieces that
// are refused were done by somebody else.
func (s *Saver) tidy(ctx context.Context, first SavePart, piece func(Raw) Piece) error {
	var parts []SavePart
	for p, err := range s.of.All(ctx, Values{"saveId": first.SaveID}, Window{}) {
		if err != nil {
			return err
		}
		if len(p.Items) == 0 {
			return fmt.Errorf("part %d of save %s lists nothing: another program wrote it", p.Part, p.SaveID)
		}
		parts = append(parts, p)
		for keys := range slices.Chunk(p.Items, MaxTransaction) {
			if err := s.tidySome(ctx, first.SaveID, keys, piece); err != nil {
				return err
			}
		}
	}
	for _, p := range slices.Backward(parts) {
		if err := s.parts.Delete(ctx, p.key()); err != nil {
			return err
		}
	}
	return nil
}

func (s *Saver) tidySome(ctx context.Context, saveID string, keys [][]string, piece func(Raw) Piece) error {
	raws := make([]Raw, len(keys))
	for i, k := range keys {
		raws[i] = Raw{s.table.PK.Name: &types.AttributeValueMemberS{Value: k[0]}, s.table.SK.Name: &types.AttributeValueMemberS{Value: k[1]}}
	}
	items, err := s.table.batchGet(ctx, s.db, raws, true)
	if err != nil {
		return err
	}
	var changes []Change // only to be cut into transactions
	for _, item := range items {
		if id, _ := textOf(item[SaveAttribute]); id == saveID {
			changes = append(changes, Change{item: item})
		}
	}
	if len(changes) == 0 {
		return nil
	}
	for _, some := range chunks(changes) {
		pieces := make([]Piece, len(some))
		for i, c := range some {
			pieces[i] = piece(c.item)
		}
		err := Transact(ctx, s.db, pieces...)
		if errors.Is(err, ErrSaving) { // someone else is at it: one by one
			err = nil
			for _, p := range pieces {
				if one := Transact(ctx, s.db, p); one != nil && !errors.Is(one, ErrSaving) {
					err = one
				}
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}
