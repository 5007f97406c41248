package esquery

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// A reader parses one JSON text strictly by RFC 8259. Engines differ in what
// else they accept, so anything else could have another meaning for them.
type reader struct {
	text     string
	at       int
	depth    int
	maxDepth int

	// Items and members are collected here until their array or object is
	// complete. Then they move to shared memory, because a text has many small
	// ones.
	items       []value
	members     []member
	itemBlock   []value
	memberBlock []member

	twice  bool // an object has a duplicate key
	halves bool // half a surrogate pair is U+FFFD, and not an error
}

type syntaxError struct {
	message string
	tooDeep bool
}

func (e *syntaxError) Error() string { return e.message }

// readJSON parses a whole text. It keeps both members with the same key, and
// calls duplicate for the key unless it is nil.
func readJSON(text string, maxDepth int, duplicate func(path []step, key string)) (value, error) {
	if !utf8.ValidString(text) {
		return value{}, &syntaxError{message: "it is not valid UTF-8"}
	}
	var waitingItems [8]value
	var waitingMembers [16]member
	r := reader{text: text, maxDepth: maxDepth, items: waitingItems[:0], members: waitingMembers[:0]}
	r.memberBlock = make([]member, 0, min(strings.Count(text, ":"), blockSize))
	v, err := r.whole()
	if err != nil {
		return value{}, err
	}
	if r.twice && duplicate != nil {
		duplicates(&v, nil, duplicate)
	}
	return v, nil
}

// whole parses a value that nothing follows.
func (r *reader) whole() (value, error) {
	v, err := r.value()
	if err != nil {
		return value{}, err
	}
	if r.space(); r.at < len(r.text) {
		return value{}, r.wrong("something follows the JSON value")
	}
	return v, nil
}

// blockSize is the number of members or items that are allocated at once.
const blockSize = 64

// keepMembers moves the members from first on to shared memory.
func (r *reader) keepMembers(first int) []member {
	n := len(r.members) - first
	if n == 0 {
		return nil
	}
	if cap(r.memberBlock)-len(r.memberBlock) < n {
		r.memberBlock = make([]member, 0, max(n, blockSize))
	}
	from := len(r.memberBlock)
	r.memberBlock = append(r.memberBlock, r.members[first:]...)
	r.members = r.members[:first]
	return r.memberBlock[from : from+n : from+n]
}

// keepItems is keepMembers for items.
func (r *reader) keepItems(first int) []value {
	n := len(r.items) - first
	if n == 0 {
		return nil
	}
	if cap(r.itemBlock)-len(r.itemBlock) < n {
		r.itemBlock = make([]value, 0, max(n, blockSize/4))
	}
	from := len(r.itemBlock)
	r.itemBlock = append(r.itemBlock, r.items[first:]...)
	r.items = r.items[:first]
	return r.itemBlock[from : from+n : from+n]
}

func (r *reader) wrong(format string, args ...any) error {
	return &syntaxError{message: fmt.Sprintf(format, args...) + " at byte " + strconv.Itoa(r.at)}
}

func (r *reader) space() {
	for r.at < len(r.text) {
		switch r.text[r.at] {
		case ' ', '\t', '\n', '\r':
			r.at++
		default:
			return
		}
	}
}

// next skips space and returns the next byte, or 0 at the end.
func (r *reader) next() byte {
	r.space()
	if r.at == len(r.text) {
		return 0
	}
	return r.text[r.at]
}

func (r *reader) value() (v value, err error) {
	switch c := r.next(); {
	case c == '{':
		v.kind = object
		v.members, err = r.object()
		return v, err
	case c == '[':
		v.kind = array
		v.items, err = r.array()
		return v, err
	case c == '"':
		v.kind = str
		v.text, err = r.string()
		return v, err
	case c == '-' || '0' <= c && c <= '9':
		v.kind = number
		v.text, err = r.number()
		return v, err
	case c == 0 && r.at == len(r.text):
		return v, r.wrong("it ends early")
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(r.text[r.at:], word) {
			r.at += len(word)
			if word != "null" {
				v.kind, v.text = boolean, word
			}
			return v, nil
		}
	}
	return v, r.wrong("no JSON value begins")
}

func (r *reader) deeper() error {
	r.at++
	if r.depth++; r.depth > r.maxDepth {
		return &syntaxError{message: "it is deeper than " + strconv.Itoa(r.maxDepth) + " levels", tooDeep: true}
	}
	return nil
}

func (r *reader) array() ([]value, error) {
	if err := r.deeper(); err != nil {
		return nil, err
	}
	first := len(r.items)
	for more := r.next() != ']'; more; {
		item, err := r.value()
		if err != nil {
			return nil, err
		}
		r.items = append(r.items, item)
		switch r.next() {
		case ',':
			r.at++
		case ']':
			more = false
		default:
			return nil, r.wrong("a comma or ] is missing")
		}
	}
	r.at++
	r.depth--
	return r.keepItems(first), nil
}

func (r *reader) object() ([]member, error) {
	if err := r.deeper(); err != nil {
		return nil, err
	}
	first := len(r.members)
	for more := r.next() != '}'; more; {
		if r.next() != '"' {
			return nil, r.wrong("a key is missing")
		}
		key, err := r.string()
		if err != nil {
			return nil, err
		}
		if r.next() != ':' {
			return nil, r.wrong("a colon is missing")
		}
		r.at++
		v, err := r.value()
		if err != nil {
			return nil, err
		}
		r.members = append(r.members, member{key, v})
		switch r.next() {
		case ',':
			r.at++
		case '}':
			more = false
		default:
			return nil, r.wrong("a comma or } is missing")
		}
	}
	r.at++
	r.depth--
	members := r.keepMembers(first)
	r.twice = r.twice || len(repeated(members)) > 0
	return members, nil
}

// repeated returns each key once for each repetition.
func repeated(members []member) []string {
	var keys []string
	if len(members) > 16 {
		seen := make(map[string]bool, len(members))
		for i := range members {
			if key := members[i].key; seen[key] {
				keys = append(keys, key)
			} else {
				seen[key] = true
			}
		}
		return keys
	}
	for i := range members {
		for j := range members[:i] {
			if members[j].key == members[i].key {
				keys = append(keys, members[i].key)
				break
			}
		}
	}
	return keys
}

// duplicates calls report for each duplicate key of an object in v.
func duplicates(v *value, path []step, report func(path []step, key string)) {
	for _, key := range repeated(v.members) {
		report(path, key)
	}
	for i := range v.items {
		duplicates(&v.items[i], append(path, step{index: i}), report)
	}
	for i := range v.members {
		duplicates(&v.members[i].value, append(path, step{key: v.members[i].key, index: -1}), report)
	}
}
