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
	hash       uint8 // the hash of the key
	start, end int32 // the text of a number, and a text without its quotes
	first      int32 // the first value of an object or list; 0: none
	next       int32 // the next one of the object or list around it; 0: none
	key        int32 // where the key begins
	keyEnd     int32
	keys       uint32 // a bit for the hash of each key of an object
}

// hash returns a number for a key. Most fields that a reader asks for are missing. The
// numbers of an object's keys show this without comparing texts.
func hash(key string) uint8 {
	if key == "" {
		return 0
	}
	return uint8(len(key)) + 5*key[0] + 3*key[len(key)-1]
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
	p := treeParser{src: src, values: t.values}
	ok := p.value(0)
	if t.values = p.values; !ok {
		return object{}, errJSON
	}
	return object{t, 1}, nil
}

type treeParser struct {
	src    string
	i      int
	values []jsonValue
}

// peek returns the next byte that is not white space, or 0.
func (p *treeParser) peek() byte {
	for ; p.i < len(p.src); p.i++ {
		if c := p.src[p.i]; c > ' ' {
			return c
		}
	}
	return 0
}

// value appends the next value with all that is in it, and reports whether there is one.
func (p *treeParser) value(level int) bool {
	c := p.peek()
	at := len(p.values)
	p.values = append(p.values, jsonValue{})
	p.values[at].kind = c
	switch c {
	case '"':
		start, end, escaped := p.quoted()
		v := &p.values[at]
		v.start, v.end, v.escaped = start, end, escaped
		return end >= 0
	case '{', '[':
		return level < maxLevels && p.members(at, c, level)
	case 't', 'n':
		return p.word("true") || p.word("null")
	case 'f':
		return p.word("false")
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		start := p.i
		for p.i++; p.i < len(p.src) && strings.IndexByte("0123456789+-.eE", p.src[p.i]) >= 0; p.i++ {
		}
		p.values[at].start, p.values[at].end = int32(start), int32(p.i)
		return true
	}
	return false
}

func (p *treeParser) word(word string) bool {
	if !strings.HasPrefix(p.src[p.i:], word) {
		return false
	}
	p.i += len(word)
	return true
}

// members reads what is in an object or a list.
func (p *treeParser) members(at int, open byte, level int) bool {
	shut := open + 2 // } and ]
	p.i++
	if p.peek() == shut {
		p.i++
		return true
	}
	keys := uint32(0)
	for last := at; ; {
		v := len(p.values)
		var key, keyEnd int32
		if open == '{' {
			if p.peek() != '"' {
				return false
			}
			if key, keyEnd, _ = p.quoted(); keyEnd < 0 || p.peek() != ':' {
				return false
			}
			p.i++
		}
		if !p.value(level + 1) {
			return false
		}
		member := &p.values[v]
		member.key, member.keyEnd = key, keyEnd
		member.hash = hash(p.src[key:keyEnd])
		keys |= 1 << (member.hash % 32)
		if last == at {
			p.values[at].first = int32(v)
		} else {
			p.values[last].next = int32(v)
		}
		last = v
		switch p.peek() {
		case ',':
			p.i++
		case shut:
			p.i++
			p.values[at].keys = keys
			return true
		default:
			return false
		}
	}
}

// quoted reads a text in quotes. It returns an end of -1 if the text does not end.
func (p *treeParser) quoted() (start, end int32, escaped bool) {
	from := p.i + 1
	for i := from; i < len(p.src); i++ {
		switch p.src[i] {
		case '"':
			p.i = i + 1
			return int32(from), int32(i), escaped
		case '\\':
			escaped = true
			i++
		}
	}
	return 0, -1, false
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
	if o.at == 0 {
		return object{}
	}
	values, hash := o.t.values, hash(key)
	if v := &values[o.at]; v.kind != '{' || v.keys&(1<<(hash%32)) == 0 {
		return object{}
	}
	for at := values[o.at].first; at != 0; at = values[at].next {
		if v := &values[at]; v.hash == hash && o.t.src[v.key:v.keyEnd] == key {
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
