package sqlagent_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/sqlagent"
)

// joinWriter writes joins of a tree of relationships in many forms.
type joinWriter struct {
	*rand.Rand
	with, from, where []string
	renamed           []bool   // of the tables: their columns have other names
	same              []string // of the tables: the last column that is equal to their id
}

func (w *joinWriter) column(table int, name string) string {
	if w.renamed[table] {
		name = "r_" + name
	}
	return fmt.Sprintf("a%d.%s", table, name)
}

// add joins a table to an earlier one, by the column of one that refers to the id of
// the other. A wrong join compares the ids.
func (w *joinWriter) add(table, parent int, child, last, wrong bool) {
	name := fmt.Sprintf("t%d", table)
	columns := fmt.Sprintf("id AS r_id, up%d AS r_up%d, down%d AS r_down%d", table, table, table, table)
	form := w.IntN(7)
	if !last && form > 4 {
		form -= 4
	}
	w.renamed = append(w.renamed, form == 3 || form == 4)
	var own, other string
	if child { // the new table refers to the earlier one
		own, other = fmt.Sprintf("up%d", table), w.column(parent, "id")
		if w.same[parent] != "" && w.IntN(2) == 0 {
			other = w.same[parent]
		}
	} else {
		own, other = "id", w.column(parent, fmt.Sprintf("down%d", parent))
	}
	if wrong {
		own, other = "id", w.column(parent, "id")
	}
	mine := w.column(table, own)
	w.same = append(w.same, "")
	switch {
	case wrong:
	case child && form < 5:
		w.same[parent] = mine
	case form < 5:
		w.same[table] = other
	}
	condition := mine + " = " + other
	if w.IntN(2) == 0 {
		condition = other + " = " + mine
	}
	switch form {
	case 0, 1:
		w.from = append(w.from, fmt.Sprintf("%sJOIN %s a%d ON %s", []string{"", "LEFT "}[w.IntN(2)], name, table, condition))
	case 2:
		w.from = append(w.from, fmt.Sprintf("CROSS JOIN %s AS a%d", name, table))
		w.where = append(w.where, condition)
	case 3:
		w.from = append(w.from, fmt.Sprintf("JOIN (SELECT %s FROM %s WHERE v > 1) a%d ON %s", columns, name, table, condition))
	case 4:
		w.with = append(w.with, fmt.Sprintf("c%d AS (SELECT %s FROM %s)", table, columns, name))
		w.from = append(w.from, fmt.Sprintf("JOIN c%d a%d ON %s", table, table, condition))
	case 5:
		w.where = append(w.where, fmt.Sprintf("EXISTS (SELECT 1 FROM %s a%d WHERE a%d.v < 3 AND %s)", name, table, table, condition))
	case 6:
		w.where = append(w.where, fmt.Sprintf("%s IN (SELECT a%d.%s FROM %s a%d)", other, table, own, name, table))
	}
}

func (w *joinWriter) String() string {
	text := "SELECT COUNT(*) AS n FROM t0 a0 " + strings.Join(w.from, " ")
	if len(w.where) > 0 {
		text += " WHERE " + strings.Join(w.where, " AND ")
	}
	if len(w.with) > 0 {
		text = "WITH " + strings.Join(w.with, ", ") + " " + text
	}
	return text
}

// Joins along relationships are never unknown, in whatever form they are written. One
// join by other columns is.
func TestJoinPathOfManyForms(t *testing.T) {
	statements := 400
	if testing.Short() {
		statements = 40
	}
	for n := range statements {
		w := &joinWriter{Rand: rand.New(rand.NewPCG(uint64(n), 7)), renamed: []bool{false}, same: []string{""}}
		size := 2 + w.IntN(5)
		wrong := 0 // the table that is joined by other columns
		if n%2 == 1 {
			wrong = 1 + w.IntN(size-1)
		}
		columns := make([]string, size)
		var relationships []joinpath.Relationship
		for table := range size {
			columns[table] = fmt.Sprintf("t%d(id*, v, up%d, down%d)", table, table, table)
		}
		for table := 1; table < size; table++ {
			parent, child := w.IntN(table), w.IntN(2) == 0
			text := fmt.Sprintf("t%d.up%d = t%d.id", table, table, parent)
			if !child {
				text = fmt.Sprintf("t%d.down%d = t%d.id", parent, parent, table)
			}
			relationships = append(relationships, join(text, "", true))
			w.add(table, parent, child, table == size-1, table == wrong)
		}
		s := schemaOf(columns, relationships...)
		source, err := sqlagent.NewSource("random", &database{}, guardOf(t, s), s, nil)
		if err != nil {
			t.Fatal(err)
		}
		result, err := runTold(t, source, w.String())
		if err != nil {
			t.Fatalf("%s: %v", w, err)
		}
		unknown := 0
		for _, j := range result.Query.JoinPath {
			if j.Relationship == qed.JoinUnknown {
				unknown++
			}
		}
		if len(result.Query.JoinPath) != size-1 || unknown != min(wrong, 1) {
			t.Errorf("%s: %v, %d are unknown, want %d of %d", w, result.Query.JoinPath, unknown, min(wrong, 1), size-1)
		}
	}
}
