package esquery

// A kind is a kind of JSON value.
type kind uint8

const (
	null kind = iota
	boolean
	number
	str
	array
	object
)

func (k kind) String() string {
	return [...]string{"null", "a boolean", "a number", "a string", "an array", "an object"}[k]
}

// A value is a parsed JSON value. Checks correct it in place.
type value struct {
	kind    kind
	text    string   // of a string, or the literal of a number or boolean
	items   []value  // of an array
	members []member // of an object, in order
}

type member struct {
	key   string
	value value
}

// get returns the member with that key, or nil.
func (v *value) get(key string) *value {
	for i := range v.members {
		if v.members[i].key == key {
			return &v.members[i].value
		}
	}
	return nil
}

// set replaces or adds the member with that key.
func (v *value) set(key string, to value) {
	if have := v.get(key); have != nil {
		*have = to
		return
	}
	// A filter is shared with other bodies, so append must copy.
	v.members = append(v.members[:len(v.members):len(v.members)], member{key, to})
}

func stringValue(s string) value { return value{kind: str, text: s} }

func arrayValue(items ...value) value { return value{kind: array, items: items} }

func objectValue(members ...member) value { return value{kind: object, members: members} }

// appendTo writes v as compact JSON.
func (v *value) appendTo(b []byte) []byte {
	switch v.kind {
	case null:
		return append(b, "null"...)
	case boolean, number:
		return append(b, v.text...)
	case str:
		return appendString(b, v.text)
	case array:
		b = append(b, '[')
		for i := range v.items {
			if i > 0 {
				b = append(b, ',')
			}
			b = v.items[i].appendTo(b)
		}
		return append(b, ']')
	default:
		b = append(b, '{')
		for i := range v.members {
			if i > 0 {
				b = append(b, ',')
			}
			b = appendString(b, v.members[i].key)
			b = append(b, ':')
			b = v.members[i].value.appendTo(b)
		}
		return append(b, '}')
	}
}

func appendString(b []byte, s string) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	from := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, s[from:i]...)
		if c < ' ' {
			b = append(b, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		} else {
			b = append(b, '\\', c)
		}
		from = i + 1
	}
	b = append(b, s[from:]...)
	return append(b, '"')
}

// list returns the items of an array, or a slice with the value itself.
func list(v *value) []value {
	if v.kind == array {
		return v.items
	}
	return []value{*v}
}
