package model

import (
	"errors"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// What a read or a write can be refused with; test with errors.Is.
var (
	// ErrNotFound is an item that is not there.
	ErrNotFound = errors.New("not found")
	// ErrExists is a creation of what is there already.
	ErrExists = errors.New("exists already")
	// ErrStale is a write of a version that is no longer the present one.
	ErrStale = errors.New("was changed in the meantime")
	// ErrCondition is a condition of the caller that does not hold.
	ErrCondition = errors.New("condition does not hold")
	// ErrConflict is a write that met transactions on the same items, more
	// often than it was tried again.
	ErrConflict = errors.New("conflicts with other transactions")
	// ErrCursor is a cursor that was changed, or comes from another pattern,
	// other arguments or another key.
	ErrCursor = errors.New("no cursor of this list")
)

// conditionFailed returns the item that a condition met, if that is what the
// error is about. The item is nil if there was none.
func conditionFailed(err error) (Raw, bool) {
	var failed *types.ConditionalCheckFailedException
	if !errors.As(err, &failed) {
		return nil, false
	}
	return failed.Item, true
}
