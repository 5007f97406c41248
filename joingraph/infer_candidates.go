package joingraph

import (
	"cmp"
	"slices"
	"strings"
)

// A ruleKind is the way in which names suggest an edge.
type ruleKind string

// The rules, and an example of each. In the examples the table of the key is
// customer with the key id, unless the example names another.
const (
	ruleSameKey      ruleKind = "same_key"     // orders.customer_id, customer.customer_id
	ruleEntity       ruleKind = "entity"       // orders.customerId
	ruleRoleEntity   ruleKind = "role_entity"  // orders.billing_customer_id
	ruleEntityAlone  ruleKind = "entity_alone" // orders.customer
	ruleRoleAlone    ruleKind = "role_alone"   // orders.billing_customer
	ruleRoleKey      ruleKind = "role_key"     // cite.citingPaperId, paper.paperId
	ruleAbbreviation ruleKind = "abbreviation" // orders.cust_id
	ruleTableEnd     ruleKind = "table_end"    // flight.company_id, operate_company.id
	ruleTableStart   ruleKind = "table_start"  // orders.product_id, product_catalog.id
	ruleEntityRole   ruleKind = "entity_role"  // home_game.customer_id_2, match.team_home_id
	ruleCalendar     ruleKind = "calendar"     // orders.shipped_date, calendar.calendar_date
	rulePerson       ruleKind = "person"       // orders.createdBy, user.id
	ruleParent       ruleKind = "parent"       // customer.parent_id
	ruleBareKey      ruleKind = "bare_key"     // teaches.ID, instructor.ID
	ruleSharedName   ruleKind = "shared_name"  // checking.custid, savings.custid: neither table is named after it
	ruleComposite    ruleKind = "composite"    // the columns of another table's composite key
	ruleData         ruleKind = "data"         // names say nothing, the data does
)

// strength orders rules: of two tables that fit a column, the one with the
// stronger rule is the likelier one.
var strength = map[ruleKind]int{
	ruleSameKey: 90, ruleEntity: 85, ruleRoleKey: 70, ruleRoleEntity: 70, ruleEntityAlone: 65, ruleEntityRole: 55,
	ruleRoleAlone: 50, ruleTableEnd: 45, ruleParent: 45, rulePerson: 40, ruleCalendar: 30, ruleAbbreviation: 40, ruleTableStart: 35,
	ruleSharedName: 10, ruleBareKey: 8, ruleData: 1,
}

// candidate is a possible edge of one column to a key.
type candidate struct {
	child, column int
	parent, key   int
	rule          ruleKind
	how           int   // how short an abbreviation is; how many other tables of people there are
	rivals        []int // other tables that fit as well or better
	second        bool  // another column of the child names the parent in full
}

// candidates returns what names suggest for one column, at most one candidate for
// each other table.
func (x *index) candidates(child, column int) []candidate {
	t := &x.tables[child]
	c := &t.columns[column]
	if c.class == otherType || len(c.stems) == 0 {
		return nil
	}
	f := finder{x: x, child: child, column: column, c: c}
	f.sameKey()
	f.entity()
	f.roles()
	f.abbreviations()
	f.bareKey()
	rank(x, f.found)
	if kept := x.settled(f.found); len(kept) < len(f.found) {
		f.found = kept
		rank(x, f.found)
	}
	return f.found
}

// tableCandidates returns the candidates of all columns of a table.
func (x *index) tableCandidates(child int) [][]candidate {
	out := make([][]candidate, len(x.tables[child].columns))
	named := map[int]int{} // the column that names a table in full
	for n := range out {
		out[n] = x.candidates(child, n)
		for _, c := range out[n] {
			if c.rule == ruleSameKey || c.rule == ruleEntity {
				named[c.parent] = n + 1
			}
		}
	}
	for _, list := range out {
		for i := range list {
			switch c := &list[i]; c.rule {
			case ruleEntityAlone, ruleAbbreviation, ruleTableEnd, ruleTableStart, ruleRoleAlone, ruleBareKey:
				c.second = named[c.parent] != 0 && named[c.parent] != c.column+1
			}
		}
	}
	return out
}

type finder struct {
	x             *index
	child, column int
	c             *column
	found         []candidate
}

// add notes a candidate with a given key, unless the table has a stronger one.
func (f *finder) add(parent, keyNumber int, rule ruleKind, how int) {
	if parent == f.child {
		k := f.x.tables[parent].keys[keyNumber]
		if slices.Contains(k.columns, f.column) {
			return
		}
		if rule != rulePerson && rule != ruleParent {
			if f.c.key == "" || !slices.ContainsFunc(f.c.restRaw, otherRow) {
				return
			}
			rule = ruleParent
		}
	}
	if f.reversed(parent, keyNumber) {
		return
	}
	n := candidate{child: f.child, column: f.column, parent: parent, key: keyNumber, rule: rule, how: how}
	for i, other := range f.found {
		if other.parent == parent {
			if strength[rule] > strength[other.rule] {
				f.found[i] = n
			}
			return
		}
	}
	f.found = append(f.found, n)
}

// otherRow reports whether a word of a column says that it refers to another row of
// its own table.
func otherRow(word string) bool { return parentWords[word] || roleWords[word] || rowWords[word] }

// reversed reports whether a key is named after the column's own table: then the
// other table refers to this one.
func (f *finder) reversed(parent, keyNumber int) bool {
	t := &f.x.tables[parent]
	k := t.keys[keyNumber]
	c := &t.columns[k.columns[0]]
	return parent != f.child && !c.generic && len(c.rest) > 0 && k.own != wholeOwn &&
		f.x.tables[f.child].owns(c) == wholeOwn && f.x.tables[f.child].owns(f.c) != wholeOwn
}

// addTable notes a candidate with the key of a table that fits the column best.
func (f *finder) addTable(parent int, rule ruleKind, how int) {
	if best := f.x.bestKey(parent, f.c); best >= 0 {
		f.add(parent, best, rule, how)
	}
}

// addPart is like addTable for names that are less clear. The key of the table must
// not be named after something else, and the column not after its own table.
func (f *finder) addPart(parent int, rule ruleKind, how int) {
	if parent == f.child || f.x.tables[f.child].owns(f.c) >= partOwn {
		return
	}
	best := f.x.bestKey(parent, f.c)
	if best < 0 || f.x.mismatch(parent, best, f.c) {
		return
	}
	f.add(parent, best, rule, how)
}

// mismatch reports whether a key is named after something that the column does not
// name: Store_ID, for a column product_id.
func (x *index) mismatch(parent, number int, c *column) bool {
	t := &x.tables[parent]
	k := &t.columns[t.keys[number].columns[0]]
	if k.generic || len(k.rest) == 0 || t.owns(k) == wholeOwn {
		return false
	}
	return !hasSuffix(c.rest, k.rest) && !hasSuffix(k.rest, c.rest) && !hasPrefix(c.rest, k.rest) &&
		abbreviation(strings.Join(c.rest, ""), strings.Join(k.rest, "")) == noAbbreviation &&
		abbreviation(strings.Join(k.rest, ""), strings.Join(c.rest, "")) == noAbbreviation
}

// strong reports whether a table was found whose name or key is named in full.
func (f *finder) strong() bool {
	return slices.ContainsFunc(f.found, func(c candidate) bool { return strength[c.rule] >= strength[ruleEntityAlone] })
}

// bestKey returns the number of the key of one column that a column would refer
// to, or -1.
func (x *index) bestKey(parent int, c *column) int {
	t := &x.tables[parent]
	best, most := -1, 0
	for i, k := range t.keys {
		if len(k.columns) != 1 {
			continue
		}
		p := &t.columns[k.columns[0]]
		if compareTypes("", "", c.class, p.class) == typesIncompatible {
			continue
		}
		points := 1
		points += 2 * k.own
		if k.kind == keyPrimary {
			points += 5
		}
		if c.key == p.key && c.key != "" {
			points += 3
		}
		if points > most {
			best, most = i, points
		}
	}
	return best
}

// sameKey finds keys whose name the column has, or ends with.
func (f *finder) sameKey() {
	if f.c.generic && f.c.key != "" {
		return
	}
	least := notOwn
	if own := f.x.tables[f.child].owns(f.c); f.c.key != "" || own == wholeOwn {
		least = own
	}
	for _, name := range joined(f.c.stems, f.c.raw) {
		for _, ref := range f.owners(f.x.byKey[name], least) {
			f.add(ref.table, ref.key, ruleSameKey, 0)
		}
	}
	if f.x.tables[f.child].owns(f.c) == wholeOwn {
		return // the column is the key of its own table
	}
	for at := 1; at < len(f.c.stems); at++ {
		for _, tail := range joined(f.c.stems[at:], f.c.raw[at:]) {
			for _, ref := range f.owners(f.x.byKey[tail], notOwn) {
				k := f.x.tables[ref.table].keys[ref.key]
				if p := &f.x.tables[ref.table].columns[k.columns[0]]; p.key != "" || len(p.stems) > 1 {
					f.add(ref.table, ref.key, ruleRoleKey, 0)
				}
			}
		}
	}
	if f.c.glued && len(f.c.stems) == 1 { // citedpaperid
		for at := 1; at <= len(f.c.compact)-minGluedKey; at++ {
			for _, ref := range f.owners(f.x.byKey[f.c.compact[at:]], notOwn) {
				f.add(ref.table, ref.key, ruleRoleKey, 0)
			}
		}
	}
}

// owners returns the keys that are named after their tables most clearly. Other
// tables of which the column is a key as well refer to these. Keys that are less
// clearly named than least are left out.
func (f *finder) owners(refs []keyRef, least int) []keyRef {
	most := least
	for _, ref := range refs {
		if ref.table != f.child || least == notOwn {
			most = max(most, f.x.tables[ref.table].keys[ref.key].own)
		}
	}
	var out []keyRef
	for _, ref := range refs {
		if f.x.tables[ref.table].keys[ref.key].own == most && (ref.table != f.child || least == notOwn) {
			out = append(out, ref)
		}
	}
	return out
}

// minGluedKey is the length of the shortest key that a column in one word can end
// with: shorter ones are found by accident.
const minGluedKey = 5

// entity finds tables whose name the column has, begins or ends with.
func (f *finder) entity() {
	rest := f.c.rest
	if len(rest) == 0 || f.c.generic && f.c.key == "" && len(rest) > 1 {
		return
	}
	exact, role := ruleEntity, ruleRoleEntity
	if f.c.key == "" {
		exact, role = ruleEntityAlone, ruleRoleAlone
	}
	all := strings.Join(rest, "")
	for _, name := range joined(rest, f.c.restRaw) {
		for _, i := range f.x.byName[name] {
			f.addTable(i, exact, 0)
		}
	}
	if f.c.glued { // the key word may be a part of the last word: paid, grid
		for _, i := range f.x.byName[strings.Join(f.c.stems, "")] {
			f.addTable(i, ruleEntityAlone, 0)
		}
	}
	if f.c.key != "" && f.x.tables[f.child].owns(f.c) == wholeOwn {
		return // the column is the key of its own table
	}
	if f.c.key == "" && slices.ContainsFunc(f.c.restRaw, func(p string) bool { return measureWords[p] }) {
		return
	}
	for at := 1; at < len(rest); at++ {
		for _, name := range joined(rest[at:], f.c.restRaw[at:]) {
			for _, i := range f.x.byName[name] {
				f.addTable(i, role, 0)
			}
		}
		if f.c.key != "" && placeWords[f.c.restRaw[at]] {
			for _, i := range f.x.byName[strings.Join(rest[:at], "")] {
				f.addPart(i, ruleEntityRole, 0)
			}
		}
	}
	// customer_id_2, team_id_winner: the key word is in the middle.
	for at := 1; at < len(f.c.stems)-1; at++ {
		if keyWords[f.c.stems[at]] && !weakKeyWords[f.c.stems[at]] {
			for _, i := range f.x.byName[strings.Join(f.c.stems[:at], "")] {
				f.addTable(i, ruleEntityRole, 0)
			}
		}
	}
	if f.c.key == "" || f.strong() {
		return
	}
	for _, i := range f.x.byHead[all] {
		f.addPart(i, ruleTableEnd, 0)
	}
	for _, i := range f.x.byStart[all] {
		f.addPart(i, ruleTableStart, 0)
	}
}

// roles finds the tables of people and the column's own table.
func (f *finder) roles() {
	rest := f.c.restRaw
	if len(rest) == 0 {
		return
	}
	last, first := rest[len(rest)-1], rest[0]
	if f.c.key == "" && slices.ContainsFunc(rest, isDate) {
		if !slices.Contains(rest, "birth") {
			f.calendar()
		}
		return
	}
	whole := strings.Join(rest, "")
	switch {
	case parentWords[whole]:
		if f.c.key != "" || whole == "reportsto" {
			f.addTable(f.child, ruleParent, 0)
		}
		if whole == "reportsto" {
			f.persons(employeeTables)
		}
		return
	case len(rest) >= 2 && (last == "by" || last == "von") && (byWords[rest[len(rest)-2]] || len(rest) == 2 && f.c.key != ""),
		len(rest) == 1 && byWords[last] && f.c.key != "",
		len(rest) == 1 && strings.HasSuffix(last, "by") && byWords[strings.TrimSuffix(last, "by")]:
		f.persons(accountTables)
	case last == "to" && len(rest) == 2 && (first == "assigned" || first == "reports"):
		f.persons(employeeTables)
	case accountWords[last] && f.c.key != "":
		f.persons(accountTables)
	case teacherWords[last] && (f.c.key != "" || len(rest) == 1):
		f.persons(teacherTables)
	case roleWords[last] && f.c.key != "", roleWords[last] && len(f.c.restRaw) == 1 && f.c.key == "":
		f.persons(employeeTables)
	}
}

func isDate(word string) bool { return word == "date" || word == "datum" }

// calendar finds tables of days whose key is a date.
func (f *finder) calendar() {
	for i, t := range f.x.tables {
		form := t.raw[len(t.raw)-1]
		if len(form) == 0 || form[len(form)-1] != "calendar" && form[len(form)-1] != "kalender" {
			continue
		}
		for n, k := range t.keys {
			c := &t.columns[k.columns[0]]
			if len(k.columns) == 1 && c.key == "" && slices.ContainsFunc(c.raw, isDate) {
				f.add(i, n, ruleCalendar, 0)
			}
		}
	}
}

// persons adds the likeliest table of people. Others make it less certain.
func (f *finder) persons(tables []string) {
	best, others := -1, 0
	for _, name := range tables {
		for _, i := range f.x.byName[name] {
			if best < 0 && f.x.bestKey(i, f.c) >= 0 {
				best = i
			} else if i != best {
				others++
			}
		}
	}
	if best >= 0 {
		f.addTable(best, rulePerson, others)
	}
}

// abbreviations finds tables whose name the column shortens.
func (f *finder) abbreviations() {
	if f.c.key == "" || len(f.c.rest) == 0 || f.c.generic || f.strong() {
		return
	}
	whole := strings.Join(f.c.rest, "")
	for _, a := range f.x.abbreviates(whole) {
		f.addPart(a.table, ruleAbbreviation, a.how)
	}
	if last := f.c.rest[len(f.c.rest)-1]; len(f.c.rest) > 1 && len(last) > 2 { // ship_addr_id
		for _, a := range f.x.abbreviates(last) {
			if a.how == beginning || len(last) > 3 {
				f.addPart(a.table, ruleAbbreviation, subsequence)
			}
		}
	}
}

// bareKey finds, for a key that is only called id, the keys of that name in other
// tables, if the schema has few of them.
func (f *finder) bareKey() {
	t := &f.x.tables[f.child]
	switch {
	case len(f.c.rest) > 0 && !(len(f.c.rest) == 1 && keyWords[f.c.restRaw[0]]):
		f.sharedName()
	case len(f.x.tables) <= mostBare && (!t.isKey[f.c.name] || slices.Contains(t.def.PrimaryKey, f.c.name)):
		for i := range f.x.tables {
			if i == f.child {
				continue
			}
			for n, k := range f.x.tables[i].keys {
				if len(k.columns) == 1 && f.x.tables[i].columns[k.columns[0]].compact == f.c.compact {
					f.add(i, n, ruleBareKey, 0)
				}
			}
		}
	}
}

// mostBare is the number of tables above which equal keys named id are no
// candidates: they are in every table.
const mostBare = 40

// sharedName finds columns of the same name if no table is named after it.
func (f *finder) sharedName() {
	same := f.x.having[f.c.compact]
	if f.c.key == "" || f.c.generic || len(same) < 2 || len(same) > mostShared || len(f.found) > 0 ||
		f.x.tables[f.child].owns(f.c) != notOwn {
		return
	}
	for _, ref := range same {
		if ref.table > f.child { // one edge for each two tables
			f.found = append(f.found, candidate{
				child: f.child, column: f.column, parent: ref.table, key: -1 - ref.column, rule: ruleSharedName,
			})
		}
	}
}

const mostShared = 6

// rank counts the rivals of each candidate, and sorts the best one first.
func rank(x *index, found []candidate) {
	points := make(map[int]int, len(found))
	for _, c := range found {
		points[c.parent] = x.points(c)
	}
	for i := range found {
		c := &found[i]
		c.rivals = nil
		for _, other := range found {
			if other.parent == c.parent || other.rule == ruleSharedName {
				continue
			}
			if points[other.parent] >= points[c.parent] {
				c.rivals = append(c.rivals, other.parent)
			}
		}
	}
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(points[b.parent], points[a.parent]), cmp.Compare(a.parent, b.parent))
	})
}

// settled returns the candidates without those of tables that refer to the same key
// themselves: if the first candidate names a table and its key in full, tables of
// which only a part has that name do.
func (x *index) settled(found []candidate) []candidate {
	if len(found) < 2 || found[0].key < 0 || strength[found[0].rule] < strength[ruleEntity] {
		return found
	}
	if x.tables[found[0].parent].keys[found[0].key].own != wholeOwn {
		return found
	}
	return slices.DeleteFunc(found, func(c candidate) bool {
		return c.key >= 0 && x.tables[c.parent].keys[c.key].own != wholeOwn
	})
}

// points orders the candidates of one column.
func (x *index) points(c candidate) int {
	p := 10 * strength[c.rule]
	if c.rule == ruleAbbreviation {
		p += 10 * c.how
	}
	if c.key >= 0 {
		k := x.tables[c.parent].keys[c.key]
		p += [...]int{notOwn: 0, beginOwn: 10, partOwn: 30, wholeOwn: 100}[k.own]
		switch k.kind {
		case keyPrimary, keyUnique:
			p += 5
		case keyGuessed:
			p += 3
		}
	}
	return p
}

// parentColumn returns the number of the column that the candidate refers to.
func (x *index) parentColumn(c candidate) int {
	if c.key < 0 {
		return -1 - c.key
	}
	return x.tables[c.parent].keys[c.key].columns[0]
}
