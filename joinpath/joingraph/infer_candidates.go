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
	ruleEntityRole   ruleKind = "entity_role"  // home_game.customer_id_2, match.team_home_id
	ruleCalendar     ruleKind = "calendar"     // orders.shipped_date, calendar.calendar_date
	rulePerson       ruleKind = "person"       // orders.createdBy, user.id
	ruleParent       ruleKind = "parent"       // customer.parent_id
	ruleBareKey      ruleKind = "bare_key"     // teaches.ID, instructor.ID
	ruleSharedName   ruleKind = "shared_name"  // checking.custid, savings.custid: neither table is named after it
	ruleComposite    ruleKind = "composite"    // the columns of another table's composite key
	ruleData         ruleKind = "data"         // names say nothing, the data does
)

// rules has what each rule says about an edge.
var rules = map[ruleKind]struct {
	feature  feature
	strength int     // of two tables that fit a column, the one with the stronger rule is the likelier one
	usual    float64 // the share among all keys of many schemas
	says     string  // in words
}{
	ruleSameKey:      {fSameKey, 90, 0.62, "{column} has the name of the key {key}"},
	ruleEntity:       {fEntity, 85, 0.12, "{column} is named after the table {table}"},
	ruleRoleEntity:   {fRoleEntity, 70, 0.03, "{column} names the table {table} and a role"},
	ruleEntityAlone:  {fEntityAlone, 65, 0.05, "{column} is named after the table {table}"},
	ruleRoleAlone:    {fRoleAlone, 50, 0.02, "{column} names the table {table} and a role"},
	ruleRoleKey:      {fRoleKey, 70, 0.05, "{column} ends with the name of the key {key}"},
	ruleAbbreviation: {fAbbreviation, 40, 0.02, "{column} abbreviates the table {table}"},
	ruleTableEnd:     {fTableEnd, 45, 0.02, "{column} is named after a part of the table {table}"},
	ruleEntityRole:   {fEntityRole, 55, 0.01, "{column} names the table {table} and a role"},
	ruleCalendar:     {fCalendar, 30, 0.01, "{column} is a date, and {table} has the days"},
	rulePerson:       {fPerson, 40, 0.01, "{column} is the role of a person, and {table} has persons"},
	ruleParent:       {fParent, 45, 0.01, "{column} names another row of {table}"},
	ruleBareKey:      {fBareKey, 8, 0.01, "{column} and {key} are both plain keys"},
	ruleSharedName:   {fSharedName, 10, 0.01, "{column} and {key} have the same name"},
	ruleComposite:    {says: "{child} has all columns of a key of {table}"},
	ruleData:         {fData, 1, 0.01, "names say nothing"},
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
	f.found = x.withoutCopies(child, f.found)
	rank(x, f.found)
	if n := len(f.found); n > 1 {
		if f.found = x.withoutReferrers(f.found); len(f.found) < n {
			rank(x, f.found)
		}
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
			case ruleEntityAlone, ruleAbbreviation, ruleTableEnd, ruleRoleAlone, ruleBareKey:
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
			keys := f.x.tables[parent].keys
			// client.id is meant by client_id, even if client has a column client_id.
			primary := rule == ruleEntity && keys[keyNumber].kind == keyPrimary && keys[keyNumber].own == wholeOwn && other.key >= 0 && keys[other.key].kind == keyNamed
			if rules[rule].strength > rules[other.rule].strength || primary {
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

// strong reports whether a table was found whose name is named in full, or whose key, if that
// is its primary key.
func (f *finder) strong() bool {
	return slices.ContainsFunc(f.found, func(c candidate) bool {
		alternate := c.rule == ruleSameKey && f.x.tables[c.parent].keys[c.key].kind == keyUnique
		return rules[c.rule].strength >= rules[ruleEntityAlone].strength && !alternate
	})
}

// short reports whether the tables that were found have a name in front of which other tables
// have other words: product_category, for a column category_id of a schema that has
// partner_category. The same words in front of the table of the column decide.
func (f *finder) short(name string) bool {
	for _, c := range f.found {
		t, child := &f.x.tables[c.parent], &f.x.tables[f.child]
		if c.rule == ruleSameKey && t.keys[c.key].own == notOwn {
			continue
		}
		if c.rule != ruleEntity || t.cut == "" || t.cut == child.cut || strings.Join(t.forms[0], "") == name {
			return false
		}
	}
	return len(f.found) > 0
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

// withoutReferrers removes candidates whose table refers to another candidate itself. A key
// that has the name of the column is named after the same table as the column; and if the
// first candidate has the names of a table and of its key in full, a key that has only a part
// of its own table's name is a foreign key.
func (x *index) withoutReferrers(found []candidate) []candidate {
	own := func(c candidate) int {
		if c.key < 0 {
			return wholeOwn
		}
		return x.tables[c.parent].keys[c.key].own
	}
	named := slices.ContainsFunc(found, func(c candidate) bool {
		return c.rule != ruleSameKey && rules[c.rule].strength >= rules[ruleRoleAlone].strength && (c.rule != ruleRoleKey || own(c) >= partOwn)
	})
	full := len(found) > 1 && own(found[0]) == wholeOwn && rules[found[0].rule].strength >= rules[ruleRoleEntity].strength
	return slices.DeleteFunc(found, func(c candidate) bool {
		return named && c.rule == ruleSameKey && own(c) == notOwn || full && own(c) != wholeOwn
	})
}

// withoutCopies removes candidates that are copies of another one, such as an archive, and the
// keys that a copy has in common with its original. Of
// tables that differ only in their schema, or in what many tables begin with, those are kept
// that are nearest to the table of the column.
func (x *index) withoutCopies(child int, found []candidate) []candidate {
	nearest, known := map[string]int{}, map[int]bool{}
	self := &x.tables[child]
	for _, c := range found {
		known[c.parent] = true
		name := x.tables[c.parent].shortName()
		nearest[name] = max(nearest[name], x.nearness(child, c.parent))
		if c.rule == ruleRoleEntity && name == self.shortName() { // another row of the table itself
			nearest[name] = x.nearness(child, child)
		}
	}
	return slices.DeleteFunc(found, func(c candidate) bool {
		t := &x.tables[c.parent]
		own := c.parent == self.original && self.columns[c.column].compact == t.columns[x.parentColumn(c)].compact
		return own || t.original >= 0 && known[t.original] || x.nearness(child, c.parent) < nearest[t.shortName()]
	})
}

// shortName returns the name of a table without what many tables begin with.
func (t *table) shortName() string { return strings.Join(t.forms[len(t.forms)-1], "") }

// nearness orders tables of the same short name: those of the schema of a table first, then
// those that are called only that, then those that begin like the table.
func (x *index) nearness(child, parent int) (n int) {
	from, to := &x.tables[child], &x.tables[parent]
	if from.schema() == to.schema() {
		n += 4
	}
	if to.cut == "" {
		n += 2
	}
	if from.cut == to.cut {
		n++
	}
	return n
}

// schema returns the schema of a table with the dot, or "".
func (t *table) schema() string { return t.name[:len(t.name)-len(unqualified(t.name))] }

// points orders the candidates of one column.
func (x *index) points(c candidate) int {
	p := 10 * rules[c.rule].strength
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
