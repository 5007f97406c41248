package joingraph

import (
	"math"
	"slices"
	"strings"
)

// feature is one item of evidence of the model.
type feature int

// The features. The first ones are the rules, of which each candidate has one.
const (
	fSameKey feature = iota
	fEntity
	fRoleEntity
	fEntityAlone
	fRoleAlone
	fRoleKey
	fAbbreviation
	fTableEnd
	fEntityRole
	fCalendar
	fPerson
	fParent
	fBareKey
	fSharedName
	fData

	fPrimary   // the other column is a declared primary or unique key
	fOwn       // the key is named after its table
	fSecond    // another column of the table names the same key in full
	fPersons   // the schema has other tables of people
	fPlural    // the column is a number, and named like several rows of the table
	fChildKey  // the column is the key of its own table
	fWeakKey   // the key word of the column also names ordinary columns
	fShort     // the abbreviation has one or two letters
	fOtherWord // the key words of the columns differ

	features int = iota
)

type vector [features]float64

// vectorOf returns the features of a candidate.
func (x *index) vectorOf(c candidate) vector {
	var v vector
	child, parent := &x.tables[c.child], &x.tables[c.parent]
	from, to := &child.columns[c.column], &parent.columns[x.parentColumn(c)]
	set := func(f feature, is bool) {
		if is {
			v[f] = 1
		}
	}
	v[rules[c.rule].feature] = 1
	if c.key >= 0 {
		k := parent.keys[c.key]
		set(fPrimary, (k.kind == keyPrimary || k.kind == keyUnique) && c.rule != ruleParent)
		v[fOwn] = float64(k.own) / wholeOwn
		if k.kind == keyPrimary && (c.rule == ruleEntity || c.rule == ruleEntityAlone) {
			v[fOwn] = 1 // the column names the table, whatever its key is called
		}
	}
	set(fSecond, c.second)
	if c.rule == rulePerson {
		v[fPersons] = math.Log2(1 + float64(c.how))
	}
	set(fPlural, from.key == "" && from.class == integerType && (c.rule == ruleEntityAlone || c.rule == ruleRoleAlone) && severalRows(from.raw[len(from.raw)-1], parent))
	set(fChildKey, child.isKey[from.name] && c.rule != ruleEntityAlone)
	set(fWeakKey, weakKeyWords[from.key])
	set(fShort, c.rule == ruleAbbreviation && c.how == initials)
	set(fOtherWord, from.key != "" && to.key != "" && from.key != to.key)
	return v
}

// severalRows reports whether a word is the plural of the name of a table: orders, or Kunden for
// a table Kunde.
func severalRows(word string, t *table) bool {
	return plural(word) || slices.ContainsFunc(t.raw, func(name []string) bool { return len(name[len(name)-1]) < len(word) })
}

func (v *vector) logit(w *vector) float64 {
	sum := 0.0
	for i := range v {
		sum += v[i] * w[i]
	}
	return sum
}

func probability(logit float64) float64 { return 1 / (1 + math.Exp(-logit)) }

// Weights of evidence that the corpus of the fit does not have.
const (
	weightEqualTypes      = 0.4
	weightCompatibleTypes = -0.2
	weightConvention      = 0.8 // of the logarithm of a ratio of frequencies
	mostConvention        = 1.5
	weightSystem          = -3.0
	weightTyped           = -4.0
	weightSameKind        = -2.0
	weightPart            = -0.8 // a role and the name of the table without what many tables begin with
	weightPlace           = 1.1  // a role such as from or to, and a key of the same type

	// The key of the other table is named after something else. The more tables have such a
	// column, the likelier it is that they all refer to a third table, which is not here.
	weightForeign = -1.8
	fewHolders    = 4
)

// part reports whether a column has a role and only a part of the name of a table: the role
// may be the rest of the name of another one.
func (x *index) part(c candidate) bool {
	from, t := &x.tables[c.child].columns[c.column], &x.tables[c.parent]
	return (c.rule == ruleRoleEntity || c.rule == ruleRoleAlone) && !hasSuffix(from.rest, t.forms[0]) &&
		!strings.HasSuffix(strings.Join(from.rest, ""), strings.Join(t.forms[0], ""))
}

// foreign reports whether the key of a candidate is named after something else than its
// table: default_group(tenant_id).
func (x *index) foreign(c candidate) bool {
	k := x.tables[c.parent].keys[c.key]
	return (c.rule == ruleSameKey || c.rule == ruleRoleKey) && (k.own == notOwn || k.kind == keyUnique && k.own < wholeOwn)
}

// otherSystem reports whether a column has the id that a row has in another system, such as
// stripe_customer_id: it begins with the name of such a system, or with a word that no role has
// and that is in front of several entities.
func (x *index) otherSystem(c candidate) bool {
	from := &x.tables[c.child].columns[c.column]
	if c.rule != ruleRoleEntity && c.rule != ruleRoleKey && c.rule != ruleTableEnd || len(from.restRaw) < 2 {
		return false
	}
	first, stem := from.restRaw[0], from.rest[0]
	switch {
	case len(x.byName[stem]) > 0 || len(x.abbreviates(stem)) > 0: // a table here
		return false
	case systemWords[first]:
		return true
	case placeWords[first] || otherRow(first) || byWords[first] || accountWords[first]:
		return false
	}
	after := x.entities[stem]
	return after[""] && len(after) > 1 || len(after) >= leastEntities
}

// severalTables reports whether a column refers to rows of several tables, of which another column
// has the name: owner_id next to owner_type. A column that names a table in full is none.
func (x *index) severalTables(c candidate) bool {
	t := &x.tables[c.child]
	from := &t.columns[c.column]
	return from.key != "" && c.rule != ruleSameKey && c.rule != ruleEntity && slices.ContainsFunc(t.columns, func(other column) bool {
		n := len(other.raw) - 1
		return n > 0 && (other.raw[n] == "type" || other.raw[n] == "typ") && slices.Equal(other.raw[:n], from.restRaw)
	})
}

// sameKind reports whether both columns are the primary keys of their tables, and neither table
// is what their name says: many tables of metadata with a key meta_id.
func (x *index) sameKind(c candidate) bool {
	child, parent := &x.tables[c.child], &x.tables[c.parent]
	from := &child.columns[c.column]
	return c.rule == ruleSameKey && x.holders[from.compact] >= fewHolders && child.owns(from) == notOwn &&
		slices.Equal(child.def.PrimaryKey, []string{from.name}) && parent.keys[c.key].kind == keyPrimary && parent.keys[c.key].own == notOwn
}

// leastEntities is the number of entities from which on a word in front of them is the name of
// another system.
const leastEntities = 4

// convention is how a schema names its declared keys.
type convention struct {
	all   int
	rules map[ruleKind]int
}

// conventionOf counts the rules of the relationships that are known.
func (x *index) conventionOf(known []candidate) convention {
	c := convention{rules: map[ruleKind]int{}}
	for _, k := range known {
		c.all++
		c.rules[k.rule]++
	}
	return c
}

// weight returns the weight of a rule: above 0 if many declared keys follow it,
// below 0 if few do.
func (c convention) weight(r ruleKind) float64 {
	if c.all < 3 || r == ruleComposite {
		return 0
	}
	const prior = 4.0
	usual := rules[r].usual
	share := (float64(c.rules[r]) + prior*usual) / (float64(c.all) + prior)
	w := weightConvention * math.Log(share/usual)
	return max(-mostConvention, min(mostConvention, w))
}

// round cuts a number to three digits after the point, so that files stay short
// and equal across processors.
func round(x float64) float64 { return math.Round(x*1000) / 1000 }
