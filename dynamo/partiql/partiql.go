// Package partiql is the front end of PartiQL for DynamoDB: it reads a statement and
// turns it, together with its parameters, into structures that the engine executes. It
// reads no table and writes none.
//
// The subset is the service's own. Statements:
//
//	SELECT */paths FROM "table"["."index"] [WHERE condition] [ORDER BY key [ASC|DESC], ...]
//	INSERT INTO "table" VALUE {...}
//	UPDATE "table" SET path = value ... REMOVE path ... WHERE key [AND condition] [RETURNING ...]
//	FROM "table" WHERE key [AND condition] SET ... REMOVE ... [RETURNING ...]
//	DELETE FROM "table" WHERE key [AND condition] [RETURNING ALL OLD *]
//	EXISTS(SELECT ... WHERE key AND condition), in transactions
//
// Conditions have = <> != < <= > >= BETWEEN IN IS AND OR NOT, attribute_exists,
// attribute_not_exists, attribute_type, begins_with, contains and size; the right side of
// SET has + - list_append if_not_exists set_add set_delete. Everything else that the
// language has (joins, aggregates, aliases, LIMIT, CASE, ...) is read as far as is needed
// to refuse it in the service's words.
//
// A statement goes through three steps, and each may refuse it:
//
//	st, err := partiql.Parse(text)      // syntax; st.Kind, st.Table and st.Index are known
//	b, err := st.Bind(parameters)       // meaning; b.Item, b.Update, b.Condition, b.Project
//	plan, err := b.Plan(schema)         // what a SELECT reads, given the key of table or index
//	target, err := b.Target(schema)     // which item any other statement is about
//
// The service looks the table up between the first and the second step but reports a
// table that is not there only after the second, and so should the caller.
//
// Every error is an [*Error] whose Message is the whole text of the service's
// ValidationException. No statement makes the package panic or loop: its length and its
// nesting are bounded.
//
// Read lexer.go and parse.go (syntax), then statement.go (what a tree means as a
// statement), condition.go and update.go (what it means for an item), and plan.go.
package partiql

import (
	"strings"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
)

// MaxStatement is the longest a statement may be, in bytes.
const MaxStatement = 8192

// Kind is what a statement does.
type Kind uint8

// The kinds of statements.
const (
	Select Kind = iota + 1
	Insert
	Update
	Delete
	Exists // a condition on one item, allowed among the writes of a transaction alone
)

var kindNames = [...]string{Select: "SELECT", Insert: "INSERT", Update: "UPDATE", Delete: "DELETE", Exists: "EXISTS"}

// String is the statement's keyword.
func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return ""
}

// Write tells whether a statement of this kind belongs among the writes of a batch or
// transaction.
func (k Kind) Write() bool { return k != Select }

// Returning is what an UPDATE or DELETE answers with.
type Returning uint8

// The forms of RETURNING. ReturnNothing stands for no such clause.
const (
	ReturnNothing Returning = iota
	ReturnAllOld
	ReturnAllNew
	ReturnModifiedOld
	ReturnModifiedNew
)

var returningNames = [...]string{
	ReturnAllOld:      "ALL OLD",
	ReturnAllNew:      "ALL NEW",
	ReturnModifiedOld: "MODIFIED OLD",
	ReturnModifiedNew: "MODIFIED NEW",
}

// String is the clause's two words, "" for none.
func (r Returning) String() string {
	if int(r) < len(returningNames) {
		return returningNames[r]
	}
	return ""
}

// Statement is a statement whose syntax is right. It is immutable, and safe for
// concurrent use: one Statement can be bound many times.
type Statement struct {
	Kind       Kind
	Table      string // a name or an ARN, as written
	Index      string // of a SELECT or EXISTS; "" for the table itself
	Returning  Returning
	Parameters int // how many ? the statement has

	selection *selection // SELECT, EXISTS
	item      *node      // INSERT: the tuple
	actions   []*node    // UPDATE: assignments and removals
	where     *node      // nil without WHERE
	malformed bool       // EXISTS of something that is no SELECT
	returning error      // what is wrong with RETURNING
}

// Parse reads a statement's syntax. Bytes that are no UTF-8 are replaced, as everywhere in
// text that comes in.
func Parse(text string) (*Statement, error) {
	if len(text) > MaxStatement {
		return nil, refuse(msgTooLong)
	}
	tokens, err := lex(strings.ToValidUTF8(text, "\uFFFD"))
	if err != nil {
		return nil, err
	}
	root, parameters, err := parse(tokens)
	if err != nil {
		return nil, err
	}
	st, err := newStatement(root)
	if err != nil {
		return nil, err
	}
	st.Parameters = parameters
	return st, nil
}

// Bound is a statement with its parameters, checked as far as it can be without knowing
// the table. It is immutable and safe for concurrent use.
type Bound struct {
	*Statement

	Item   attr.Item    // INSERT: the item
	Update *expr.Update // UPDATE: what to do with the item

	where   *predicate
	columns []column
	targets []expr.Path // UPDATE: the paths that it writes
}

// Bind gives the statement its parameters. Parameters beyond those that the statement has
// are ignored, as the service does.
func (s *Statement) Bind(parameters []attr.Value) (*Bound, error) {
	if s.malformed {
		return nil, refuse(msgNotInTransaction)
	}
	b := &binder{parameters: parameters}
	bound := &Bound{Statement: s}
	var err error
	if s.selection != nil {
		if bound.columns, err = b.columns(s.selection); err != nil {
			return nil, err
		}
	}
	if s.item != nil {
		if bound.Item, err = b.item(s.item); err != nil {
			return nil, err
		}
	}
	if bound.where, err = b.condition(s.where); err != nil {
		return nil, err
	}
	if s.actions != nil {
		if bound.Update, bound.targets, err = b.update(s.actions); err != nil {
			return nil, err
		}
	}
	if s.returning != nil {
		return nil, s.returning
	}
	if len(parameters) < s.Parameters {
		return nil, refuse(msgParameters)
	}
	return bound, nil
}

// Condition is the whole WHERE clause; nil without one, which matches every item.
func (b *Bound) Condition() *expr.Condition {
	if b.where == nil {
		return nil
	}
	return b.where.lower()
}

// binder gives meaning to the parts of a statement. A thing that has no meaning is refused
// at once; operands that do not fit their operator are refused only when the whole clause
// turned out to have a meaning.
type binder struct {
	parameters []attr.Value
	operators  int   // of the clause being read
	fault      error // the first operand of the clause that does not fit
}

// begin starts a clause.
func (b *binder) begin() { b.operators, b.fault = 0, nil }

// note keeps the first fault of a clause.
func (b *binder) note(err error) {
	if b.fault == nil {
		b.fault = err
	}
}
