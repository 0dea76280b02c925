package expr

import (
	"strconv"

	"pressroom/dynamo/attr"
)

// What the service charges for the parts of an UpdateExpression when it asks whether an
// UpdateItem is too large, in bytes. It does not document them.
const (
	chargeUpdate      = 3  // for any
	chargeWrite       = 19 // SET and ADD
	chargeRemoval     = 1  // REMOVE and DELETE
	chargeStep        = 4  // for each step of a target after the first
	chargePath        = 1  // for a path that is read
	chargeRead        = 14 // for each of its steps
	chargePlus        = 34
	chargeMinus       = 37
	chargeIfNotExists = 39
	chargeListAppend  = 37
)

// Charge is the size of the update itself, as UpdateItem measures it against the largest
// size of an item, beside the item that the update makes: what it writes by name and
// value, and something for each of its parts. What is read from the item costs nothing,
// nor does what is removed.
func (u *Update) Charge() int {
	sum := chargeUpdate
	for i := range u.actions {
		a := &u.actions[i]
		switch a.Verb {
		case Remove, Delete, deleteLegacy:
			sum += chargeRemoval + a.Path.chargeTarget()
		default:
			sum += chargeWrite + a.Path.chargeTarget() + a.Value.charge()
		}
	}
	return sum
}

func (p Path) chargeTarget() int {
	sum := p[0].len()
	for _, s := range p[1:] {
		sum += chargeStep + s.len()
	}
	return sum
}

// len is the length of the step's name, or of its index in digits.
func (s Step) len() int {
	if s.isIndex() {
		return len(strconv.Itoa(s.Index))
	}
	return len(s.Name)
}

func (o *Operand) charge() int {
	sum := 0
	switch o.kind {
	case opValue:
		return attr.Size(o.value)
	case opPlus:
		sum = chargePlus
	case opMinus:
		sum = chargeMinus
	case opIfNotExists:
		sum = chargeIfNotExists
	case opListAppend:
		sum = chargeListAppend
	}
	if o.path != nil {
		sum += chargePath
		for _, s := range o.path {
			sum += chargeRead + s.len()
		}
	}
	for i := range o.args {
		sum += o.args[i].charge()
	}
	return sum
}
