package joingraph

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed/internal/corpora"
	"github.com/qedkit/qed/joinpath"
)

// truthOf returns the joins of a database that are right: declared ones, those
// that statements use, and those that these imply. The first result has only the
// first two kinds.
func truthOf(s *corpora.Schema, joins []corpora.Join) (direct, all map[string]bool) {
	direct = map[string]bool{}
	var pairs [][4]string
	add := func(p [4]string) {
		for i := range p {
			p[i] = strings.ToLower(p[i])
		}
		pairs = append(pairs, p)
		if p[0] != p[2] || p[1] != p[3] {
			direct[joinKey(p[0], p[1], p[2], p[3])] = true
		}
	}
	for _, k := range s.ForeignKeys {
		add(k)
	}
	for _, j := range joins {
		if j.DB == s.DB {
			for _, c := range j.Conditions {
				add(c)
			}
		}
	}
	return direct, closure(pairs)
}

// closure returns all joins that pairs of equal columns imply.
func closure(pairs [][4]string) map[string]bool {
	type place struct{ table, column string }
	group := map[place]int{}
	members := map[int][]place{}
	for _, p := range pairs {
		a, b := place{p[0], p[1]}, place{p[2], p[3]}
		for _, c := range []place{a, b} {
			if _, ok := group[c]; !ok {
				group[c] = len(group)
				members[group[c]] = []place{c}
			}
		}
		if from, to := group[b], group[a]; from != to {
			for _, m := range members[from] {
				group[m] = to
			}
			members[to] = append(members[to], members[from]...)
			delete(members, from)
		}
	}
	out := map[string]bool{}
	for _, list := range members {
		for i, a := range list {
			for _, b := range list[:i] {
				out[joinKey(a.table, a.column, b.table, b.column)] = true
			}
		}
	}
	return out
}

// hiddenKeys returns a schema in lower case without its foreign keys.
func hiddenKeys(s *corpora.Schema, primary bool) *joinpath.Schema {
	out := &joinpath.Schema{Tables: map[string]joinpath.Table{}}
	for name, columns := range s.Tables {
		var t joinpath.Table
		for _, c := range columns {
			if !slices.ContainsFunc(t.Columns, func(o string) bool { return strings.EqualFold(o, c) }) {
				t.Columns = append(t.Columns, c)
			}
		}
		if primary {
			for _, c := range s.PrimaryKeys[name] {
				at := slices.IndexFunc(t.Columns, func(o string) bool { return strings.EqualFold(o, c) })
				t.PrimaryKey = append(t.PrimaryKey, t.Columns[at])
			}
		}
		out.Tables[name] = t
	}
	return out
}

// example is a candidate of a schema of the corpus.
type example struct {
	db    string
	v     vector
	right bool
	cost  float64 // weight in the fit
}

// examples returns the candidates of all schemas, once with their primary keys and
// once, with little weight, without them.
func examples(c *corpora.Corpus) []example {
	var out []example
	for i := range c.Schemas {
		s := &c.Schemas[i]
		_, truth := truthOf(s, c.Joins)
		for _, primary := range []bool{true, false} {
			x := newIndex(hiddenKeys(s, primary))
			for i := range x.tables {
				for _, list := range x.tableCandidates(i) {
					for _, k := range list {
						if k.rule == ruleParent {
							continue // Spider hardly declares keys of a table to itself
						}
						e := example{db: s.DB, v: x.vectorOf(k), right: truth[lowerKey(x, k)], cost: 1}
						if !primary {
							e.cost = 0.1
						}
						out = append(out, e)
					}
				}
			}
		}
	}
	return out
}

// signs are the features whose weight has a sign that does not depend on the
// corpus. A weight with the other sign would be an accident of its schemas.
var signs = map[feature]float64{
	fPrimary: 1, fOwn: 1, fSecond: -1, fPersons: -1, fPlural: -1, fChildKey: -1, fWeakKey: -1, fShort: -1, fOtherWord: -1,
}

// fit returns the weights of a logistic regression with a quadratic penalty, by
// Newton's method. A weight with the wrong sign is set to 0, and the others are
// fitted again.
func fit(list []example, penalty float64) vector {
	fixed := map[feature]bool{}
	for {
		w := fitFree(list, penalty, fixed)
		before := len(fixed)
		for f, sign := range signs {
			if w[f]*sign < 0 && math.Abs(w[f]) > 1e-6 {
				fixed[f] = true
			}
		}
		if len(fixed) == before {
			return w
		}
	}
}

func fitFree(list []example, penalty float64, fixed map[feature]bool) vector {
	var w vector
	for range 30 {
		var gradient vector
		var hessian [features][features]float64
		for i := range features {
			gradient[i] = -penalty * w[i]
			hessian[i][i] = penalty
			if fixed[feature(i)] {
				hessian[i][i] = 1e9
			}
		}
		for _, e := range list {
			p := probability(e.v.logit(&w))
			y := 0.0
			if e.right {
				y = 1
			}
			for i, a := range e.v {
				if a == 0 {
					continue
				}
				gradient[i] += e.cost * (y - p) * a
				for j, b := range e.v {
					hessian[i][j] += e.cost * p * (1 - p) * a * b
				}
			}
		}
		step := solve(hessian, gradient)
		for i := range w {
			w[i] += step[i]
		}
	}
	return w
}

// solve solves a system of linear equations by elimination.
func solve(a [features][features]float64, b vector) vector {
	for i := range features {
		pivot := i
		for r := i + 1; r < features; r++ {
			if math.Abs(a[r][i]) > math.Abs(a[pivot][i]) {
				pivot = r
			}
		}
		a[i], a[pivot], b[i], b[pivot] = a[pivot], a[i], b[pivot], b[i]
		for r := i + 1; r < features; r++ {
			f := a[r][i] / a[i][i]
			for c := i; c < features; c++ {
				a[r][c] -= f * a[i][c]
			}
			b[r] -= f * b[i]
		}
	}
	for i := features - 1; i >= 0; i-- {
		for c := i + 1; c < features; c++ {
			b[i] -= a[i][c] * b[c]
		}
		b[i] /= a[i][i]
	}
	return b
}

const (
	fitPenalty   = 0.5
	parentWeight = 1.1 // not fitted: Spider declares hardly any key of a table to itself

	// Nor are these: Spider has hardly any.
	personsWeight = -0.35
	countWeight   = -3.5
)

func fitAll(list []example) vector {
	w := fit(list, fitPenalty)
	w[fParent], w[fPersons], w[fPlural] = parentWeight, personsWeight, countWeight
	return w
}

// featureNames are the names of the features in the comments of infer_weights.go.
var featureNames = [features]string{
	"same key name", "named after the table", "role and table", "named like the table", "role and table, no key word",
	"ends with the key's name", "abbreviates the table", "end of the table's name",
	"table and role", "date of a calendar", "role of a person", "parent row", "both are plain keys", "same name, no table of that name",
	"names say nothing",
	"declared key", "key named after its table", "another column names it in full",
	"other tables of people", "named like a count", "key of its own table",
	"key word of ordinary columns", "very short abbreviation", "different key words",
}

// TestWeights repeats the fit. If a rule changes, the weights of infer_weights.go have
// to be replaced by those that it logs.
func TestWeights(t *testing.T) {
	list := examples(corpora.Need(t))
	got := fitAll(list)
	var count, right vector
	for _, e := range list {
		for i, a := range e.v {
			if a != 0 {
				count[i]++
				if e.right {
					right[i]++
				}
			}
		}
	}
	for i := range got {
		t.Logf("%.2f, // %s: %v of %v", got[i], featureNames[i], right[i], count[i])
		if math.Abs(got[i]-weights[i]) > 0.011 {
			t.Errorf("%s: the fit gives %.2f, infer_weights.go has %.2f", featureNames[i], got[i], weights[i])
		}
	}
}

// heldOut returns, for each database, weights that were fitted without it: those of
// one of five folds.
func heldOut(c *corpora.Corpus) map[string]*vector {
	const folds = 5
	list := examples(c)
	out := map[string]*vector{}
	for fold := range folds {
		left := map[string]bool{}
		for i, s := range c.Schemas {
			if i%folds == fold {
				left[s.DB] = true
			}
		}
		w := fitAll(slices.DeleteFunc(slices.Clone(list), func(e example) bool { return left[e.db] }))
		for db := range left {
			out[db] = &w
		}
	}
	return out
}

// lowerKey returns the key of a candidate in lower case.
func lowerKey(x *index, c candidate) string {
	from, to := &x.tables[c.child], &x.tables[c.parent]
	return joinKey(strings.ToLower(from.name), strings.ToLower(from.columns[c.column].name),
		strings.ToLower(to.name), strings.ToLower(to.columns[x.parentColumn(c)].name))
}
