package engine

import (
	"errors"
	"fmt"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/expr"
	"pressroom/dynamo/partiql"
	"pressroom/dynamo/token"
	"pressroom/guard"
)

// Error is a refusal in DynamoDB's own words. Package dynamo turns it into
// the SDK's error types, dynamo/wire into the JSON of the protocol.
type Error struct {
	// Type is the exception's name, such as ValidationException.
	Type    string
	Message string
	// Item is the item that failed a condition, where the request asked
	// for it.
	Item attr.Item
	// Reasons explain a cancelled transaction, one per action, in order.
	Reasons []Reason

	// upfront says that the fault of one action is the whole transaction's.
	upfront bool
}

// Reason says why, or that ("None"), an action of a transaction failed.
type Reason struct {
	Code    string
	Message string
	Item    attr.Item
}

func (e *Error) Error() string { return e.Type + ": " + e.Message }

// The exceptions that the engine raises.
const (
	Validation           = "ValidationException"
	ConditionFailed      = "ConditionalCheckFailedException"
	NotFound             = "ResourceNotFoundException"
	InUse                = "ResourceInUseException"
	LimitExceeded        = "LimitExceededException"
	TransactionCancelled = "TransactionCanceledException"
	TokenMismatch        = "IdempotentParameterMismatchException"
	Serialization        = "SerializationException"
	Internal             = "InternalServerError"
	TableNotFound        = "TableNotFoundException"
	TableExists          = "TableAlreadyExistsException"
	TableInUse           = "TableInUseException"
	BackupNotFound       = "BackupNotFoundException"
	BackupInUse          = "BackupInUseException"
	InvalidRestoreTime   = "InvalidRestoreTimeException"
	NoContinuousBackups  = "ContinuousBackupsUnavailableException"
	RecoveryUnavailable  = "PointInTimeRecoveryUnavailableException"
	ExpiredIterator      = "ExpiredIteratorException"
	TrimmedData          = "TrimmedDataAccessException"
	DuplicateItem        = "DuplicateItemException"
	UnknownOperation     = "UnknownOperationException"
)

func newError(kind, format string, args ...any) *Error {
	if len(args) == 0 {
		return &Error{Type: kind, Message: format}
	}
	return &Error{Type: kind, Message: fmt.Sprintf(format, args...)}
}

func invalid(format string, args ...any) *Error { return newError(Validation, format, args...) }

func internalError(format string, args ...any) *Error { return newError(Internal, format, args...) }

// unreadable is what a client is told when the store cannot be read. The cause
// names files; it is for the log.
func (e *Engine) unreadable(err error) error {
	if _, ok := AsError(err); ok {
		return err
	}
	e.opts.Logger.Error("read", "err", fmt.Sprint(err))
	return internalError("the stored data could not be read: try again, and if it stays, run the check command")
}

// damagedRow counts a row that is not what was written, and says it to whoever
// reads.
func (e *Engine) damagedRow() error {
	e.damages.Add(1)
	return internalError("a stored row is damaged; run the check command")
}

// AsError returns the DynamoDB error in err's chain. The errors of attr, expr
// and token become the exceptions that DynamoDB answers them with; those of
// the disk an InternalServerError, which the SDKs retry.
func AsError(err error) (*Error, bool) {
	var (
		own    *Error
		value  *attr.InvalidError
		source *expr.Error
		shape  *token.Error
		stmt   *partiql.Error
	)
	switch {
	case errors.As(err, &own):
		return own, true
	case errors.As(err, &value):
		return invalid("%s", value.Message), true
	case errors.As(err, &source):
		return invalid("%s", source.Message), true
	case errors.As(err, &stmt):
		return invalid("%s", stmt.Message), true
	case errors.As(err, &shape):
		return newError(Serialization, "%s", shape.Message), true
	case errors.Is(err, guard.ErrFull):
		return internalError("%s", guard.ErrFull), true
	case errors.Is(err, guard.ErrFault):
		return internalError("%s", guard.ErrFault), true
	case errors.Is(err, guard.ErrDamaged):
		return internalError("%s; run the check command", guard.ErrDamaged), true
	}
	return nil, false
}
