package partiql

import (
	"errors"
	"fmt"

	"pressroom/dynamo/attr"
)

// Error is a refusal of a statement. Message is the full text of the service's
// ValidationException.
type Error struct{ Message string }

// Error returns the message.
func (e *Error) Error() string { return e.Message }

// Refusals that the caller has to make, since they depend on the operation or on the
// table. In an ExecuteTransaction the service puts "Validation failed in
// TransactStatements[0]: " before those that concern one statement ([Error.InTransaction]).
var (
	// A SELECT from an index with more than one HASH or more than one RANGE attribute.
	// It comes before everything that Bind refuses.
	ErrMultiAttribute = refuse("PartiQL statements cannot be executed on tables with multi-attribute HASH keys or multi-attribute RANGE keys.")
	// A SELECT from an index that the table has not; it comes before ErrConsistentRead.
	ErrNoIndex        = refuse("The table does not have the specified index")
	ErrConsistentRead = refuse("Strongly consistent read is not supported on Global Secondary Indexes")

	// An EXISTS in ExecuteStatement or BatchExecuteStatement.
	ErrExists = refuse("EXISTS can only be used in ExecuteTransaction write requests.")

	ErrBatchMixed     = refuse("Read and write requests together in the same batch is not supported.")
	ErrBatchDuplicate = refuse("Provided list of item keys contains duplicates")
	// One statement of a batch: a SELECT from an index, or for which Lookup is not ok.
	ErrBatchKey = refuse("Select statements within BatchExecuteStatement must specify the primary key in the where clause.")

	ErrTransactionMixed     = refuse("ExecuteTransaction API does not support both read and write operations in the same request.")
	ErrTransactionDuplicate = refuse("Transaction request cannot include multiple operations on one item")
	// One statement of a transaction.
	ErrTransactionReturning = refuse("RETURNING clause is not supported in ExecuteTransaction.")
	ErrTransactionIndex     = refuse("Reads on indices are not supported within transactions.")
	ErrTransactionExists    = refuse("Operations on indices are not supported in transactions") // EXISTS on an index
	ErrTransactionKey       = refuse("Select statements within ExecuteTransaction must specify the primary key in the where clause.")

	ErrToken         = refuse("Invalid NextToken")
	ErrTokenMismatch = refuse("NextToken does not match request")
)

// NotProjected is the refusal of a SELECT that names columns which a global index does
// not project, in the order of the statement.
func NotProjected(index string, columns []string) *Error {
	return refuse("One or more parameter values were invalid: Global secondary index %s does not project %s", index, names(columns))
}

// FilterNotProjected is the refusal of a keyed SELECT from an index, global or local, whose
// filter names attributes that the index does not project.
func FilterNotProjected(index string, attributes []string) *Error {
	return refuse("One or more parameter values were invalid: Secondary index %s does not project one or more filter attributes: %s", index, names(attributes))
}

// InTransaction is the refusal as ExecuteTransaction words it for its nth statement,
// counted from 0 as the service does.
func (e *Error) InTransaction(n int) *Error {
	return refuse("Validation failed in TransactStatements[%d]: %s", n, e.Message)
}

const (
	msgTooLong          = "Member must have length less than or equal to 8192"
	msgMalformed        = "Statement wasn't well formed, can't be processed: "
	msgParameters       = "Number of parameters in request and statement don't match."
	msgNotInTransaction = "Unsupported operation in transaction."
	msgEmptyName        = "Path component cannot be an empty string"
	msgNesting          = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
	msgMissing          = "MISSING must be compared using IS operator"
	msgNoKey            = "Where clause does not contain a mandatory equality on all key attributes"
)

func refuse(format string, args ...any) *Error {
	if len(args) > 0 {
		format = fmt.Sprintf(format, args...)
	}
	return &Error{Message: format}
}

// syntax is a statement that cannot be read; the lexer gives no detail.
func syntax(detail string) *Error { return &Error{Message: msgMalformed + detail} }

// under is a value's refusal with the spot of the value inside its literal.
func under(err error, at *spot) error {
	var refused *attr.InvalidError
	if errors.As(err, &refused) {
		return refuse("%s under %s", refused.Message, at)
	}
	return err
}

// invalid is a refusal by the package attr as a refusal of the statement.
func invalid(err error) error {
	var refused *attr.InvalidError
	if errors.As(err, &refused) {
		return &Error{Message: refused.Message}
	}
	return err
}
