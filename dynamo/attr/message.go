package attr

// DynamoDB's messages about values, word for word, their oddities included.
const (
	msgInvalid = "One or more parameter values were invalid: "

	msgEmpty   = "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes"
	msgMany    = "Supplied AttributeValue has more than one datatypes set, must contain exactly one of the supported datatypes"
	msgNil     = "The supplied Item contains a null AttributeValue"
	msgNull    = msgInvalid + "Null attribute value types must have the value of true"
	msgNesting = "Nesting Levels have exceeded supported limits: Attributes in the item have nested levels beyond supported limit"
	msgNoName  = "Empty attribute name"
	msgName    = "Attribute name is too large, must be less than 65536 bytes"

	msgNotNumeric = "The parameter cannot be converted to a numeric value"
	msgOverflow   = "Number overflow. Attempting to store a number with magnitude larger than supported range"
	msgUnderflow  = "Number underflow. Attempting to store a number with magnitude smaller than supported range"
	msgDigits     = "Attempting to store more than 38 significant digits in a Number"

	msgNumberSet     = msgInvalid + "An number set  may not be empty"
	msgStringSet     = msgInvalid + "An string set  may not be empty"
	msgBinarySet     = msgInvalid + "Binary sets should not be empty"
	msgNumberSetNull = msgInvalid + "An number set may not have a null string as a member"
	msgStringSetNull = msgInvalid + "An string set may not have a null string as a member"
	msgBinarySetNull = msgInvalid + "Binary sets may not contain null values"
	msgNumberSetTwin = "Input collection contains duplicates"
	msgTwins         = msgInvalid + "Input collection "
)

// InvalidError is a value that DynamoDB does not accept.
//
// The service reads values in one of two ways, and which one an operation has decides the
// words: the older one is that of batches of writes, transactions, scans and PartiQL.
type InvalidError struct {
	Message string // the whole text of the ValidationException
	Newer   string // its text in the other operations, if that differs

	// Abysmal says that the value is nested so deeply that even the operations that have
	// the newer words fall back on the older ones, for all that they say of the request.
	Abysmal bool
}

// Error returns the message.
func (e *InvalidError) Error() string { return e.Message }

func invalid(message string) error { return &InvalidError{Message: message} }

func reworded(older, newer string) error { return &InvalidError{Message: older, Newer: newer} }

// maxName is the longest an attribute's name may be, in bytes.
const maxName = 65535

// CheckName refuses an attribute name that DynamoDB refuses, with an InvalidError.
func CheckName(name string) error {
	switch {
	case name == "":
		return invalid(msgNoName)
	case len(name) > maxName:
		return invalid(msgName)
	}
	return nil
}
