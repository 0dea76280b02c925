package ops

import "pressroom/model"

// Pages and handlers ask for lists without knowing model; these are its names
// for them.
type (
	// Page is a part of a list and the cursor of the next.
	Page[V any] = model.Page[V]
	// PageOptions say which part of a list is wanted.
	PageOptions = model.PageOptions
	// Window bounds a list by a field, both ends included.
	Window = model.Window
	// Values are the arguments of a question, by name.
	Values = model.Values
	// KeyMeaning is a key of an item, read back.
	KeyMeaning = model.KeyMeaning
)
