package joingraph

import (
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/joinpath"
)

// index holds the names of a schema, split into words, for the search of
// candidates. Tables and columns have numbers in a fixed order.
type index struct {
	tables []table
	number map[string]int // by table name

	byName  map[string][]int    // tables by their compact name
	byHead  map[string][]int    // tables by the end of their compact name
	byKey   map[string][]keyRef // keys of one column with a specific name, by compact name
	having  map[string][]colRef // columns by compact name, those with a key word only
	holders map[string]int      // number of tables by the compact name of a column
	// entities are what follows the first word of the columns with a key word.
	entities map[string]map[string]bool
	letters  map[byte][]int // tables by the first letter of a name
	short    map[string][]abbreviated
}

type table struct {
	name    string
	def     joinpath.Table
	forms   [][]string // singular words of the name: whole, and without prefixes
	raw     [][]string // the same words as they are written
	cut     string     // the prefixes
	columns []column
	keys    []key
	isKey   map[string]bool // columns that are a key by themselves
	taken   map[string]bool // columns of declared keys

	original int // the table that this one is a copy of, or -1
}

type column struct {
	name    string
	stems   []string // singular forms of all words
	rest    []string // of the words without key words
	key     string   // the key word, or ""
	glued   bool     // the key word was written without a separator
	prefix  string   // with which all columns of the table begin; it is in no other field
	compact string   // all words
	raw     []string // all words, as they are written
	restRaw []string // the words without key words, as they are written
	class   typeClass
	generic bool
}

// Kinds of keys.
const (
	keyPrimary = "primary key"
	keyUnique  = "unique"
	keyNamed   = "named like a key" // next to a declared key
	keyGuessed = "guessed by name and position"
)

// key is a column, or a group of columns, that identifies a row.
type key struct {
	columns []int
	kind    string
	own     int  // how far it is named after its table
	bare    bool // only a key word or a generic word
}

type keyRef struct{ table, key int }

type colRef struct{ table, column int }

type abbreviated struct{ table, how int }

func newIndex(s *joinpath.Schema) *index {
	x := &index{
		number: map[string]int{}, byName: map[string][]int{}, byHead: map[string][]int{},
		byKey: map[string][]keyRef{}, having: map[string][]colRef{}, letters: map[byte][]int{},
		holders: map[string]int{}, entities: map[string]map[string]bool{},
		short: map[string][]abbreviated{},
	}
	names := slices.Sorted(maps.Keys(s.Tables))
	whole := lists.Set(names, func(name string) string { return strings.Join(stems(splitName(unqualified(name))), " ") })
	common := commonPrefixes(names, whole)
	for i, name := range names {
		x.number[name] = i
		x.tables = append(x.tables, newTable(name, s.Tables[name], common, whole))
	}
	for _, r := range s.Relationships {
		if i, ok := x.number[r.FromTable]; ok && r.Confidence > 0 {
			from, _ := r.Columns()
			for _, c := range from {
				x.tables[i].taken[c] = true
			}
		}
	}
	first := map[string]int{}
	for i := range x.tables {
		for _, k := range x.tables[i].keys {
			first[x.tables[i].columns[k.columns[0]].compact]++
		}
	}
	for i := range x.tables {
		t := &x.tables[i]
		t.keys = slices.DeleteFunc(t.keys, func(k key) bool {
			return k.kind == keyGuessed && k.own == notOwn && first[t.columns[k.columns[0]].compact] > 1
		})
		x.addNames(i)
		x.addKeys(i)
	}
	x.findCopies()
	return x
}

// findCopies finds the tables that are copies of others: their names differ by a word for
// copies or by a number, and at least three in four columns are the same.
func (x *index) findCopies() {
	copyWord := func(word string) bool { return copyWords[word] || strings.Trim(word, "0123456789") == "" }
	for i := range x.tables {
		t := &x.tables[i]
		t.original = -1
		words := t.raw[0]
		last := len(words) - 1
		if last > 0 && copyWord(words[last]) {
			t.original = x.originalOf(i, words[:last])
		}
		if last > 0 && copyWord(words[0]) && t.original < 0 {
			t.original = x.originalOf(i, words[1:])
		}
	}
}

// originalOf returns the table of a name that has the columns of a table, or -1.
func (x *index) originalOf(i int, name []string) int {
	for _, other := range x.byName[strings.Join(stems(name), "")] {
		if other != i && x.sameColumns(i, other) {
			return other
		}
	}
	return -1
}

// sameColumns reports whether at least three in four columns of two tables have the same name.
func (x *index) sameColumns(a, b int) bool {
	has := lists.Set(x.tables[a].columns, func(c column) string { return c.compact })
	same := lists.Filter(x.tables[b].columns, func(c column) bool { return has[c.compact] })
	return 4*len(same) >= 3*max(len(x.tables[a].columns), len(x.tables[b].columns))
}

// leastPrefixed is the number of tables from which on their first word, and their first two
// words, are a prefix.
var leastPrefixed = [2]int{3, 5}

// commonPrefixes returns the words, and pairs of words, with which many tables begin and that
// are no table themselves, such as the name of an application and of its part.
func commonPrefixes(names []string, whole map[string]bool) map[string]bool {
	count := map[string]int{}
	for _, name := range names {
		parts := splitName(unqualified(name))
		for n := 1; n <= 2 && n < len(parts); n++ {
			count[strings.Join(parts[:n], " ")]++
		}
	}
	out := map[string]bool{}
	for words, n := range count {
		out[words] = n >= leastPrefixed[strings.Count(words, " ")] && !whole[strings.Join(stems(strings.Fields(words)), " ")]
	}
	return out
}

// unqualified returns the name of a table without its schema.
func unqualified(name string) string { return name[strings.LastIndexByte(name, '.')+1:] }

func newTable(name string, def joinpath.Table, common, whole map[string]bool) table {
	t := table{name: name, def: def, isKey: map[string]bool{}, taken: map[string]bool{}}
	parts := splitName(unqualified(name))
	t.forms, t.raw = append(t.forms, stems(parts)), append(t.raw, parts)
	if n := len(parts); n > 1 && tableSuffixes[parts[n-1]] {
		parts = parts[:n-1]
		t.forms, t.raw = append(t.forms, stems(parts)), append(t.raw, parts)
	}
	for len(parts) > 1 && (tablePrefixes[parts[0]] || common[strings.TrimSpace(t.cut+" "+parts[0])]) {
		t.cut = strings.TrimSpace(t.cut + " " + parts[0])
		parts = parts[1:]
		t.forms, t.raw = append(t.forms, stems(parts)), append(t.raw, parts)
	}
	prefix := t.columnPrefix(whole)
	for _, name := range def.Columns {
		t.columns = append(t.columns, newColumn(name, prefix, def.Types[name]))
	}
	if len(def.PrimaryKey) == 1 {
		t.isKey[def.PrimaryKey[0]] = true
	}
	for _, c := range def.UniqueColumns {
		t.isKey[c] = true
	}
	for _, c := range def.Outside {
		t.taken[c] = true
	}
	t.keys = keysOf(&t)
	return t
}

// columnPrefix returns the word with which all columns of the table begin, if it is short for
// the table: o of o_orderkey, ps of ps_partkey in partsupp. The name of a table is none.
func (t *table) columnPrefix(tables map[string]bool) string {
	prefix := ""
	for i, name := range t.def.Columns {
		parts := splitName(name)
		if len(parts) < 2 || i > 0 && parts[0] != prefix {
			return ""
		}
		prefix = parts[0]
	}
	short := slices.ContainsFunc(t.raw, func(parts []string) bool {
		whole := strings.Join(parts, "")
		return prefix != "" && strings.HasPrefix(whole, prefix[:1]) && lettersOf(prefix, whole)
	})
	if !short || len(t.def.Columns) < 2 || len(prefix) > mostPrefix || singular(prefix) == strings.Join(t.forms[0], "") ||
		tables[singular(prefix)] || keyWords[prefix] {
		return ""
	}
	return prefix
}

const mostPrefix = 4 // letters

func newColumn(name, prefix, typ string) column {
	parts := splitName(name)
	if prefix != "" {
		parts = parts[1:]
	}
	c := column{name: name, prefix: prefix, raw: slices.Clone(parts), stems: stems(parts), compact: compact(parts), class: classOf(typ)}
	c.restRaw, c.key = trimEnds(parts)
	if c.key == "" && len(parts) > 0 {
		if rest, key := unglue(parts[len(parts)-1]); key != "" {
			c.restRaw = append(slices.Clone(parts[:len(parts)-1]), rest)
			c.key, c.glued = key, true
		}
	}
	c.rest = stems(c.restRaw)
	c.generic = true
	for _, p := range c.restRaw {
		if !genericWords[p] && !keyWords[p] {
			c.generic = false
		}
	}
	return c
}

// idLike reports whether the name of a column says that it identifies something.
func (c *column) idLike() bool { return c.key != "" && !c.glued }

// keysOf returns the keys of a table: those that are declared and, next to them or
// instead of them, columns that are named like a key of this table.
func keysOf(t *table) []key {
	var keys []key
	add := func(kind string, names ...string) {
		k := key{kind: kind}
		for _, name := range names {
			at := slices.Index(t.def.Columns, name)
			if at < 0 {
				return
			}
			k.columns = append(k.columns, at)
		}
		if len(k.columns) == 0 || slices.ContainsFunc(keys, func(o key) bool { return slices.Equal(o.columns, k.columns) }) {
			return
		}
		c := &t.columns[k.columns[0]]
		if len(k.columns) == 1 {
			k.own = t.owns(c)
		}
		k.bare = c.generic && (len(c.stems) < 2 || c.key != "" || kind != keyPrimary && kind != keyUnique)
		keys = append(keys, k)
	}
	add(keyPrimary, t.def.PrimaryKey...)
	for _, c := range t.def.UniqueColumns {
		add(keyUnique, c)
	}
	for _, k := range t.def.UniqueKeys {
		add(keyUnique, k...)
	}
	kind := keyNamed
	if len(keys) == 0 {
		kind = keyGuessed
	}
	for i := range t.columns {
		c := &t.columns[i]
		bareID := c.compact == "id" || c.compact == "uuid" || c.compact == "guid"
		if kind == keyGuessed && bareID || c.key != "" && (!c.generic || len(c.rest) > 0 && t.owns(c) == wholeOwn) && t.owns(c) >= partOwn && (kind == keyGuessed || t.whole(c)) {
			add(kind, c.name)
		}
	}
	if len(keys) == 0 && len(t.columns) > 0 && t.columns[0].idLike() && !t.columns[0].generic {
		// The first column, unless it names the key of another table. That is
		// decided by its rivals.
		add(keyGuessed, t.columns[0].name)
	}
	return keys
}

// Degrees to which a column is named as a key of its table.
const (
	notOwn   = iota
	beginOwn // the table's name begins with the column's: team_id in team_half
	partOwn  // one name is a part of the other, or short for it: company_id in operate_company
	wholeOwn // id, or the name of the table with a key word
)

// owns returns how far a column is named after the table: id, or the name of the
// table, possibly shortened, with a key word.
func (t *table) owns(c *column) int {
	if len(c.restRaw) == 0 || len(c.rest) == 1 && keyWords[c.restRaw[0]] {
		return wholeOwn
	}
	joined, rest := compact(c.restRaw), strings.Join(c.rest, "")
	best := notOwn
	for _, form := range t.forms {
		whole := strings.Join(form, "")
		switch {
		case rest == whole || joined == whole:
			return wholeOwn
		case hasPrefix(c.rest, form), hasSuffix(form, c.rest),
			len(c.rest) == 1 && len(form) == 1 && abbreviation(c.rest[0], whole) != noAbbreviation,
			len(c.rest) == 1 && len(form) > 1 && len(c.restRaw[0]) > 1 && firstLetters(form) == c.restRaw[0],
			len(c.rest) >= len(form) && shortened(c.rest[:len(form)], form), len(c.rest) == 1 && shortened(c.rest, form[len(form)-1:]):
			best = max(best, partOwn)
		case hasPrefix(form, c.rest), len(c.rest) == 1 && abbreviation(c.rest[0], whole) != noAbbreviation:
			best = max(best, beginOwn)
		}
	}
	return best
}

// shortened reports whether each word of a name is the beginning of a word of another.
func shortened(short, long []string) bool {
	return slices.EqualFunc(short, long, func(a, b string) bool { return a == b || abbreviation(a, b) == beginning })
}

// whole reports whether the name of a column begins with the whole name of the
// table: player_api_id in player.
func (t *table) whole(c *column) bool {
	return t.owns(c) == wholeOwn || slices.ContainsFunc(t.forms, func(form []string) bool { return hasPrefix(c.rest, form) })
}

func (x *index) addNames(i int) {
	seen := map[string]bool{}
	add := func(m map[string][]int, name string) {
		if n := len(m[name]); name != "" && (n == 0 || m[name][n-1] != i) {
			m[name] = append(m[name], i)
		}
	}
	for n, form := range x.tables[i].forms {
		name := strings.Join(form, "")
		if name == "" {
			continue
		}
		for _, name := range joined(form, x.tables[i].raw[n]) {
			add(x.byName, name)
		}
		if !seen[name[:1]] {
			seen[name[:1]] = true
			x.letters[name[0]] = append(x.letters[name[0]], i)
		}
	}
	form := x.tables[i].forms[len(x.tables[i].forms)-1]
	for at := 1; at < len(form); at++ {
		add(x.byHead, strings.Join(form[at:], ""))
	}
}

func (x *index) addKeys(i int) {
	t := &x.tables[i]
	for n, k := range t.keys {
		if len(k.columns) != 1 {
			continue
		}
		c := &t.columns[k.columns[0]]
		var names []string
		if !k.bare {
			names = joined(c.stems, c.raw)
		}
		if full := splitName(c.name); c.prefix != "" {
			names = append(names, joined(stems(full), full)...) // o_c_id refers to c_id
		}
		for _, name := range names {
			x.byKey[name] = append(x.byKey[name], keyRef{i, n})
		}
	}
	for n := range t.columns {
		c := &t.columns[n]
		x.holders[c.compact]++
		if c.key == "" || c.generic {
			continue
		}
		x.having[c.compact] = append(x.having[c.compact], colRef{i, n})
		if x.entities[c.rest[0]] == nil {
			x.entities[c.rest[0]] = map[string]bool{}
		}
		x.entities[c.rest[0]][strings.Join(c.rest[1:], " ")] = true
	}
}

// begins reports whether a word is one or more of the first words, in full.
func begins(form []string, word string) bool {
	for at := 1; at < len(form); at++ {
		if strings.Join(form[:at], "") == word {
			return true
		}
	}
	return false
}

// joined returns the forms in which words are looked up: of time slots, one that is
// equal for times_slots, and one that is equal for timeslots.
func joined(stems, raw []string) []string {
	a, b := strings.Join(stems, ""), compact(raw)
	if a == b {
		return []string{a}
	}
	return []string{a, b}
}

// abbreviates returns the tables whose name a word abbreviates.
func (x *index) abbreviates(word string) []abbreviated {
	if found, ok := x.short[word]; ok {
		return found
	}
	var found []abbreviated
	if word != "" {
		for _, i := range x.letters[word[0]] {
			best := noAbbreviation
			for _, form := range x.tables[i].forms {
				if begins(form, word) {
					continue
				}
				how := abbreviation(word, strings.Join(form, ""))
				if how == subsequence && len(form) > 1 {
					how = noAbbreviation // long names contain many words by chance
				}
				best = max(best, how)
				if len(form) > 1 && len(word) > 1 && firstLetters(form) == word {
					best = max(best, initials)
				}
			}
			if best != noAbbreviation {
				found = append(found, abbreviated{i, best})
			}
		}
	}
	x.short[word] = found
	return found
}
