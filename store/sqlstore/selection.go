package sqlstore

import (
	"math/bits"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed/store"
)

// A selection is the statement that reads records of a thread.
//
// A range with an address or with kinds is read in two steps of one statement:
// an index finds the numbers of the records, and the primary key finds the
// records. So the cost depends on how many records there are of that address or
// those kinds, and not on the length of the thread.
type selection struct {
	text string
	args []any
}

// A parameter is an argument of a [selection] that each batch sets.
type parameter byte

// In the text of an engine these parameters are question marks with a letter.
const (
	paramThread parameter = 't' // the id of the thread
	paramLow    parameter = 'l' // the lowest number
	paramHigh   parameter = 'h' // the highest number
	paramRows   parameter = 'n' // how many records
)

// newSelection returns the statement for the records that r selects.
func newSelection(e engine, r store.Range) *selection {
	t := e.texts()
	order := " ORDER BY %s"
	if r.NewestFirst {
		order += " DESC"
	}
	by := func(column string) string { return strings.Replace(order, "%s", column, 1) + " LIMIT ?n" }
	sel := new(selection)
	branches := branches(e, r)
	if branches == nil {
		sel.add(t.read)
		if len(r.Kinds) > 0 {
			kinds, params := kindCondition(e, r.Kinds)
			sel.add(" AND "+kinds, params...)
		}
		sel.add(by(t.order))
		return sel
	}
	before, after, _ := strings.Cut(t.join, "%s")
	sel.add(before)
	for i, b := range branches {
		if i > 0 {
			sel.add(" UNION ALL ")
		}
		sel.add("SELECT seq FROM (")
		sel.add(b.text+by(t.order)+") AS k"+strconv.Itoa(i), b.args...)
	}
	sel.add(by("seq") + after + strings.Replace(by("k.seq"), " LIMIT ?n", "", 1))
	return sel
}

// branches returns the statements whose results together are the numbers of the
// records that r selects, or nil if no index finds them: r selects by number
// only, or has many kinds. Each of them reads one range of an index.
func branches(e engine, r store.Range) (branches []selection) {
	t := e.texts()
	switch {
	case r.Address != "":
		branches = append(branches, selection{t.byAddress + " AND address = ?", []any{e.text(r.Address)}})
	case r.Under != "":
		// Not LIKE: an address is not a pattern. The addresses below "a" are
		// those from "a/" up to "a0", as 0 follows / in ASCII.
		exact := selection{t.byAddress + " AND address = ?", []any{e.text(r.Under)}}
		below := selection{
			t.byAddress + " AND address >= ? AND address < ?", []any{e.text(r.Under + "/"), e.text(r.Under + "0")},
		}
		branches = append(branches, exact, below)
	case len(r.Kinds) <= maxBranches:
		for _, kind := range slices.Compact(slices.Sorted(slices.Values(r.Kinds))) {
			branches = append(branches, selection{t.byKind + " AND kind = ?", []any{e.text(string(kind))}})
		}
		return branches
	}
	if len(r.Kinds) > 0 {
		kinds, params := kindCondition(e, r.Kinds)
		for i := range branches {
			b := &branches[i]
			b.text, b.args = b.text+" AND "+kinds, append(b.args, params...)
		}
	}
	return branches
}

// maxBranches limits the kinds that are looked up in an index. The runtime has
// fewer.
const maxBranches = 20

// add adds a text. args are for its question marks without a letter.
func (sel *selection) add(text string, args ...any) {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, "?")
		b.WriteString(before)
		if !found {
			break
		}
		b.WriteByte('?')
		if after != "" && strings.IndexByte("tlhn", after[0]) >= 0 {
			sel.args = append(sel.args, parameter(after[0]))
			after = after[1:]
		} else {
			sel.args = append(sel.args, args[0])
			args = args[1:]
		}
		text = after
	}
	sel.text += b.String()
}

// bind returns the arguments for a batch.
func (sel *selection) bind(thread any, low, high int64, rows int) []any {
	args := slices.Clone(sel.args)
	for i, arg := range args {
		switch arg {
		case paramThread:
			args[i] = thread
		case paramLow:
			args[i] = low
		case paramHigh:
			args[i] = high
		case paramRows:
			args[i] = rows
		}
	}
	return args
}

// kindCondition returns the condition that a record has one of these kinds, and
// its parameters. Their number is rounded up to a power of 2, so that there are
// few different statements.
func kindCondition(e engine, kinds []store.Kind) (string, []any) {
	kinds = slices.Compact(slices.Sorted(slices.Values(kinds)))
	if len(kinds) == 0 {
		return "", nil
	}
	n := 1 << bits.Len(uint(len(kinds)-1))
	params := make([]any, n)
	for i := range params {
		params[i] = e.text(string(kinds[min(i, len(kinds)-1)]))
	}
	return "kind IN (?" + strings.Repeat(", ?", n-1) + ")", params
}
