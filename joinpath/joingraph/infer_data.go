package joingraph

import "math"

// scoreData adds what was measured to the proposals.
func (in *inference) scoreData() {
	x := in.x
	for i := range in.proposals {
		p := &in.proposals[i]
		if p.from != nil {
			continue
		}
		if p.rule == ruleData {
			p.add(featureNames[fData], weightDataOnly)
			switch from := &x.tables[p.child].columns[p.column]; {
			case from.idLike() && !weakKeyWords[from.key]:
				p.add("named like a reference", weightReference)
			case from.key != "":
				p.add("named like a reference", weightReference/3)
			}
			if child := &x.tables[p.child]; p.data.childUnique() && p.data.Chance && child.isKey[child.columns[p.column].name] {
				p.add("a key with gaps", weightGaps)
			}
			p.addTypes()
		}
		count := p.rule != ruleData && x.vectorOf(p.candidate)[fPlural] > 0 && p.data != nil && p.data.Chance
		for _, t := range p.data.terms(x.tables[p.parent].keys, p.key) {
			if count && t.Weight > 0 {
				continue // a count up to the number of rows has the values of a key as well
			}
			if p.rule == ruleBareKey && t.Weight > 0 {
				t.Weight /= 2 // keys of the same name often have values of the same form
			}
			p.add(t.Name, t.Weight)
		}
	}
}

// matching returns the share that has a match, of values or of rows. Orphans are few
// rows, but each may have a value of its own.
func (m *Measured) matching() float64 {
	return max(share(m.Matched, m.Distinct), share(m.MatchedRows, m.NotNull))
}

// The weight of an edge that only the data shows, before what was measured.
const (
	weightDataOnly  = -3.2
	weightReference = 0.9 // the column has a key word
	weightGaps      = 2.2 // the column is a key, and no counter has made its numbers
)

// tight reports whether the values fill the range of a key of numbers.
func (m *Measured) tight() bool { return m.Matched >= 5 && m.Reach > 0 && fills(m.Reach, 1, m.Matched) }

// terms returns the evidence of the counts.
func (m *Measured) terms(keys []key, number int) []Term {
	if m == nil {
		return nil
	}
	var out []Term
	add := func(name string, w float64) { out = append(out, Term{name, w}) }
	if m.parentRepeats() && number < 0 {
		add("both columns have duplicates", -1.5)
	} else if m.parentRepeats() {
		if declared := keys[number].kind == keyPrimary || keys[number].kind == keyUnique; !declared {
			add("the key has duplicates", -3)
		}
	} else if m.parentUnique() && number >= 0 && keys[number].kind != keyPrimary && keys[number].kind != keyUnique {
		add("the key is unique in the data", 0.7)
	}
	in := m.matching()
	d := float64(m.Distinct)
	switch {
	case m.Distinct == 0 || m.KeyDistinct == 0:
		add("no values to compare", 0)
	case m.Distinct < 3 && in < 1:
		add("values are missing on the other side", -1)
	case in < 0.4:
		add("most values are missing on the other side", -5)
	case in < 0.75:
		add("many values are missing on the other side", -3)
	case in < 0.9 && m.Chance:
		add("some values are missing on the other side", -1.5)
	case m.Chance && m.tight():
		add("values fill the range of the key", math.Log(0.9/m.Alike))
	case m.Chance && m.Reach > 0 && m.Matched >= 20 && !m.Partial && m.Reach < 0.5:
		add("values fill less than half of the range of the key", -2.5)
	case m.Chance && m.Reach > 0 && m.Matched >= 20 && !m.Partial:
		add("values fill only a part of the range of the key", -1.2)
	case m.Chance:
		add("values match, as they would by chance", 0)
	case m.Distinct < 3:
		add("values match, but there are few", 0.4)
	default:
		add("values exist on the other side", (in-0.7)/0.3*min(4.8, 0.8*math.Log2(1+d)))
	}
	return out
}
