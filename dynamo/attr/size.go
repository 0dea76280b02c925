package attr

// MaxItemSize is the largest Size an item may have.
const MaxItemSize = 400 * 1024

// Size is the item's size as DynamoDB counts it: the bytes of names and values.
func (it Item) Size() int {
	size := 0
	for len(it) > 0 {
		name, v, rest, ok := it.cutEntry()
		if !ok {
			break
		}
		size += len(name) + Size(v)
		it = rest
	}
	return size
}

// Size is the value's size as DynamoDB counts it. Lists and maps cost three bytes, and one
// per element; sets nothing beyond their members.
//
// https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
func Size(v Value) int {
	switch kind := v.Kind(); kind {
	case Null, Bool:
		return 1
	case Number:
		return numberSize(v[1:])
	case String, Binary:
		return len(v) - 1
	case Map:
		it := v.Item()
		return 3 + it.Len() + it.Size()
	case List:
		return 3 + partsSize(kind, v[1:])
	case NumberSet, StringSet, BinarySet:
		return partsSize(kind, v[1:])
	}
	return 0
}

func partsSize(kind Kind, rest []byte) int {
	size := 0
	for len(rest) > 0 {
		part, next, ok := cut(rest)
		if !ok {
			break
		}
		switch kind {
		case List:
			size += 1 + Size(part)
		case NumberSet:
			size += numberSize(part)
		default:
			size += len(part)
		}
		rest = next
	}
	return size
}

// numberSize counts a number as the service does: one byte, one per pair of digits where
// pairs are aligned at the decimal point, one for a minus sign; at most 21.
func numberSize(payload []byte) int {
	digits, exponent, negative := outline(payload)
	if digits == 0 {
		return 1
	}
	size := 1 + (digits+1)/2
	if digits%2 == 0 && exponent%2 == 0 {
		size++
	}
	if negative {
		size++
	}
	return min(size, 21)
}
