package dialect

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"
)

// A tree is a JSON text whose values are found without copying them. It exists
// because decoding DuckDB's trees into maps takes longer than DuckDB takes to make
// them: see BenchmarkRewriteDuckDB.
type tree struct {
	src    string
	values []jsonValue // the first is none
	lists  []object    // what items returned
}

var trees = sync.Pool{New: func() any { return &tree{} }}

// release returns the tree to the pool, without the text.
func (t *tree) release() {
	t.src = ""
	trees.Put(t)
}

// A jsonValue is a value of a tree.
type jsonValue struct {
	kind       byte  // the first byte: { [ " t f n, - and digits for numbers
	used       bool  // it was read
	escaped    bool  // a text has escapes
	start, end int32 // the text of a number, and a text without its quotes
	first      int32 // the first value of an object or list; 0: none
	next       int32 // the next one of the object or list around it; 0: none
	key        int32 // where the key begins
	keyEnd     int32
	keys       uint32 // the bits of the keys of an object: see keyBit
}

// keyBit returns a bit for a key. Most fields that a reader asks for are missing, and
// most of these have a bit that no key of the object has.
func keyBit(key string) uint32 {
	if key == "" {
		return 1
	}
	return 1 << ((len(key) + 5*int(key[0]) + 3*int(key[len(key)-1])) % 32)
}

// An object is a value of a tree. Reading a field marks it, so that a field that
// nothing reads is found by [reader.done] and refused: it could be a clause that
// this package does not know. The zero object is none.
type object struct {
	t  *tree
	at int32
}

var errJSON = errors.New("malformed JSON")

// maxLevels is the maximum nesting of a tree. DuckDB nests at most 1000
// expressions, each of which takes up to four levels.
const maxLevels = 8000

// parse reads a text. The tree is valid until its next use.
func (t *tree) parse(src string) (object, error) {
	t.src, t.values, t.lists = src, append(t.values[:0], jsonValue{}), t.lists[:0]
	p := treeParser{tree: t}
	at, err := p.value(0)
	if err != nil {
		return object{}, err
	}
	return object{t, at}, nil
}

type treeParser struct {
	*tree
	i int
}

// peek returns the next byte that is not white space, or 0.
func (p *treeParser) peek() byte {
	for p.i < len(p.src) {
		switch c := p.src[p.i]; c {
		case ' ', '\n', '\r', '\t':
			p.i++
		default:
			return c
		}
	}
	return 0
}

func (p *treeParser) value(level int) (int32, error) {
	if level > maxLevels {
		return 0, errJSON
	}
	c := p.peek()
	at := int32(len(p.values))
	p.values = append(p.values, jsonValue{kind: c})
	switch {
	case c == '{' || c == '[':
		return at, p.members(at, c, level)
	case c == '"':
		start, end, escaped, err := p.quoted()
		v := &p.values[at]
		v.start, v.end, v.escaped = start, end, escaped
		return at, err
	case c == '-' || '0' <= c && c <= '9':
		start := p.i
		for p.i++; p.i < len(p.src) && strings.IndexByte("0123456789+-.eE", p.src[p.i]) >= 0; p.i++ {
		}
		p.values[at].start, p.values[at].end = int32(start), int32(p.i)
		return at, nil
	}
	for _, word := range []string{"true", "false", "null"} {
		if strings.HasPrefix(p.src[p.i:], word) {
			p.i += len(word)
			return at, nil
		}
	}
	return 0, errJSON
}

// members reads what is in an object or a list.
func (p *treeParser) members(at int32, open byte, level int) error {
	shut := open + 2 // } and ]
	p.i++
	if p.peek() == shut {
		p.i++
		return nil
	}
	last, keys := int32(0), uint32(0)
	for {
		var key, keyEnd int32
		if open == '{' {
			if p.peek() != '"' {
				return errJSON
			}
			var err error
			if key, keyEnd, _, err = p.quoted(); err != nil {
				return err
			}
			if p.peek() != ':' {
				return errJSON
			}
			p.i++
			keys |= keyBit(p.src[key:keyEnd])
		}
		v, err := p.value(level + 1)
		if err != nil {
			return err
		}
		p.values[v].key, p.values[v].keyEnd = key, keyEnd
		if last == 0 {
			p.values[at].first = v
		} else {
			p.values[last].next = v
		}
		last = v
		switch p.peek() {
		case ',':
			p.i++
		case shut:
			p.i++
			p.values[at].keys = keys
			return nil
		default:
			return errJSON
		}
	}
}

// quoted reads a text in quotes.
func (p *treeParser) quoted() (start, end int32, escaped bool, err error) {
	from := p.i + 1
	for i := from; i < len(p.src); i++ {
		switch p.src[i] {
		case '\\':
			escaped = true
			i++
		case '"':
			p.i = i + 1
			return int32(from), int32(i), escaped, nil
		}
	}
	return 0, 0, false, errJSON
}

func (o object) isNone() bool { return o.at == 0 }

func (o object) value() *jsonValue { return &o.t.values[o.at] }

// kind returns the first byte of the value, or 0.
func (o object) kind() byte {
	if o.at == 0 {
		return 0
	}
	return o.value().kind
}

// field returns a field without marking it. It returns none for a null.
func (o object) field(key string) object {
	if o.kind() != '{' || o.value().keys&keyBit(key) == 0 {
		return object{}
	}
	for at := o.value().first; at != 0; at = o.t.values[at].next {
		v := &o.t.values[at]
		if o.t.src[v.key:v.keyEnd] == key {
			if v.kind == 'n' {
				return object{}
			}
			return object{o.t, at}
		}
	}
	return object{}
}

func (o object) has(key string) bool { return !o.field(key).isNone() }

// items returns the values of a list. They are valid as long as the tree is.
func (o object) items() []object {
	if o.kind() != '[' {
		return nil
	}
	start := len(o.t.lists)
	for at := o.value().first; at != 0; at = o.t.values[at].next {
		o.t.lists = append(o.t.lists, object{o.t, at})
	}
	return slices.Clip(o.t.lists[start:])
}

// string returns a text, or "" for another value.
func (o object) string() string {
	if o.kind() != '"' {
		return ""
	}
	v := o.value()
	if !v.escaped {
		return o.t.src[v.start:v.end]
	}
	var s string
	if json.Unmarshal([]byte(o.t.src[v.start-1:v.end+1]), &s) != nil || !utf8.ValidString(s) {
		return ""
	}
	return s
}

// number returns the text of a number, or "" for another value.
func (o object) number() string {
	if c := o.kind(); c == '-' || '0' <= c && c <= '9' {
		v := o.value()
		return o.t.src[v.start:v.end]
	}
	return ""
}

// isEmpty reports whether a value is null, or an empty text or list, which is as if
// it were missing.
func (o object) isEmpty() bool {
	switch v := o.value(); v.kind {
	case 'n':
		return true
	case '"':
		return v.start == v.end
	case '[':
		return v.first == 0
	}
	return false
}
