package claims

import (
	"hash/maphash"
	"math"
	"slices"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/column"
	"github.com/qedkit/qed/internal/lists"
)

const (
	copiedPairs = 0.9 // share of the rows with a key that are alike, from which they are copies
	minCopied   = 20  // different rows from which an equal number of copies is no chance
	byChance    = 1e-4
)

// copies finds rows that are there more than once by mistake. A test counts them once.
// The result of a query and a number of rows have counted them, which is a defect.
//
// Equal rows alone are no mistake: the applicants of a table of sexes and departments
// have few ways to differ. They are copies if the rows have a key, which no two
// different rows share.
func (c *checker) copies() {
	kept, key := c.copiesOfKey(), ""
	if kept == nil {
		kept, key = c.copiesOfValues()
	}
	n := len(c.source.Rows)
	if kept == nil || len(kept) == n {
		return
	}
	once := &qed.Table{Columns: c.source.Columns, Truncated: c.source.Truncated}
	once.Rows = lists.Map(kept, func(i int) []any { return c.source.Rows[i] })
	outcome, text := Pass, c.t.CopiesOnce
	if c.table == c.source && (c.Claim == nil || c.Claim.Kind != Share) {
		c.table = once
		c.Rows, c.all = len(kept), nil
		if c.Total == n {
			c.Total = c.Rows
		}
	} else {
		outcome, text = Warn, c.t.CopiesCounted
	}
	c.source = once
	if key != "" {
		text = fill(c.t.CopiesOfKey, "column", quoted(key)) + " " + text
	}
	c.add(CheckCopies, outcome, fill(text, "n", count(n-len(kept)), "total", count(n)), "copies", float64(n-len(kept)))
}

// copiesOfKey returns the first of equal rows, if these are copies, or nil.
func (c *checker) copiesOfKey() []int {
	all := c.mostVaried() // rows without a value in the first are alike for that alone
	if len(all) == 0 {
		return nil
	}
	kept, times := distinctRows(c.source, all)
	if len(kept) == len(c.source.Rows) {
		return nil
	}
	if len(kept) >= minCopied && !slices.ContainsFunc(times, func(n int) bool { return n != times[0] }) {
		return kept
	}
	counts := slices.Clone(times)
	slices.Sort(counts)
	few := len(slices.Compact(counts)) <= 2 // rows that occur by chance occur more unequally
	for i, col := range c.source.Columns {
		if (few || column.IsIdentifier(col.Name)) && c.isKey(times, kept, i) {
			return kept
		}
	}
	if !few {
		return nil
	}
	for _, second := range all[1:min(len(all), maxPairs)] {
		if c.isKey(times, kept, all[0], second) {
			return kept
		}
	}
	return nil
}

// isKey reports whether nearly all rows that are equal in some columns are equal in all,
// and the other columns have values that differ.
func (c *checker) isKey(times, kept []int, columns ...int) bool {
	if len(columns) >= len(c.source.Columns) {
		return false
	}
	rows := map[uint64]int{}
	for i, at := range kept {
		if key, ok := rowKey(c.source.Rows[at], columns); ok {
			rows[key] += times[i]
		}
	}
	var alike, alikeInKey float64
	for i, at := range kept {
		key, ok := rowKey(c.source.Rows[at], columns)
		if !ok {
			continue
		}
		alike += float64(times[i] * (times[i] - 1))
		alikeInKey += float64(times[i] * (rows[key] - 1))
	}
	if len(rows) < minCopied || alike < copiedPairs*alikeInKey {
		return false
	}
	var others []int
	for i := range c.source.Columns {
		if !slices.Contains(columns, i) {
			others = append(others, i)
		}
	}
	once := &qed.Table{Columns: c.source.Columns}
	once.Rows = lists.Map(kept, func(at int) []any { return c.source.Rows[at] })
	equal := 0.0 // the chance that two rows have the same values in the other columns
	_, of := distinctRows(once, others)
	for _, n := range of {
		equal += math.Pow(float64(n)/float64(len(kept)), 2)
	}
	return math.Pow(equal, float64(len(c.source.Rows)-len(kept))) < byChance
}

// mostVaried returns the columns by the number of their values, the largest first.
func (c *checker) mostVaried() []int {
	distinct := make([]int, len(c.source.Columns))
	order := make([]int, len(distinct))
	for i := range distinct {
		values := map[uint64]bool{}
		for _, row := range c.source.Rows {
			if key, ok := rowKey(row, []int{i}); ok {
				values[key] = true
			}
		}
		distinct[i], order[i] = len(values), i
	}
	slices.SortStableFunc(order, func(a, b int) int { return distinct[b] - distinct[a] })
	return order
}

// copiesOfValues returns the first of the rows that have the same identifier and the
// same values in the columns of the claim, if nearly all rows with the same identifier
// do, and the name of the identifier. Such rows come from a join with another table.
func (c *checker) copiesOfValues() (kept []int, key string) {
	if c.table != c.source || c.metric < 0 {
		return nil, ""
	}
	for i, col := range c.source.Columns {
		if !column.IsIdentifier(col.Name) || i == c.metric || i == c.by || i == c.with {
			continue
		}
		columns := []int{i, c.metric}
		columns = append(columns, lists.Filter([]int{c.by, c.with}, func(j int) bool { return j >= 0 })...)
		first, times := distinctRows(c.source, columns)
		if len(first) == len(c.source.Rows) {
			continue
		}
		_, ofKey := distinctRows(c.source, columns[:1])
		var pairs, pairsOfKey float64
		for _, n := range times {
			pairs += float64(n * (n - 1))
		}
		for _, n := range ofKey {
			pairsOfKey += float64(n * (n - 1))
		}
		_, ofMetric := distinctRows(c.source, columns[1:2])
		if len(ofKey) >= minCopied && len(ofMetric) > 2 && pairs >= copiedPairs*pairsOfKey {
			return first, col.Name
		}
	}
	return nil, ""
}

// distinctRows returns the first row of each set of rows that are equal in some columns,
// and how many rows the set has. A row without a value in the first column is a set of
// its own.
func distinctRows(t *qed.Table, columns []int) (first, times []int) {
	index := map[uint64]int{}
	for i, row := range t.Rows {
		key, ok := rowKey(row, columns)
		at, seen := index[key]
		switch {
		case ok && seen:
			times[at]++
			continue
		case ok:
			index[key] = len(first)
		}
		first, times = append(first, i), append(times, 1)
	}
	return first, times
}

var keySeed = maphash.MakeSeed()

// rowKey returns a hash of the values of some columns of a row. ok is false if it has
// none in the first of them.
func rowKey(row []any, columns []int) (key uint64, ok bool) {
	var h maphash.Hash
	h.SetSeed(keySeed)
	for n, i := range columns {
		text, some := column.Text(row[i])
		ok = ok || n == 0 && some
		h.WriteString(text)
		h.WriteByte(0)
	}
	return h.Sum64(), ok
}
