package sqlagent

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/textmatch"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/joinpath"
)

// longestGap returns two of the tables and the number of joins between them: the
// longest path of the plan that has none of the tables within.
func longestGap(plan joinpath.Plan, tables []string) (from, to string, hops int) {
	near := map[string][]string{}
	for _, step := range plan.Steps() {
		near[step.LeftTable] = append(near[step.LeftTable], step.RightTable)
		near[step.RightTable] = append(near[step.RightTable], step.LeftTable)
	}
	type visit struct {
		table, before string
		hops          int
	}
	for _, start := range tables {
		open := []visit{{table: start}}
		for len(open) > 0 {
			at := open[0]
			open = open[1:]
			if at.hops > 0 && slices.Contains(tables, at.table) {
				if at.hops > hops {
					from, to, hops = start, at.table, at.hops
				}
				continue
			}
			for _, next := range near[at.table] {
				if next != at.before {
					open = append(open, visit{next, at.table, at.hops + 1})
				}
			}
		}
	}
	return from, to, hops
}

// distinct returns the plans without those that provably give the same rows as an
// earlier one. See canonical for what is proved.
func (r *reader) distinct(tables []string, plans []joinpath.Plan) []joinpath.Plan {
	if len(plans) < 2 {
		return plans
	}
	var out []joinpath.Plan
	known := map[string]bool{}
	for _, plan := range plans {
		if key := r.canonical(tables, plan); !known[key] {
			known[key] = true
			out = append(out, plan)
		}
	}
	return out
}

// canonical returns a text that two plans share only if inner joins over them give
// the same rows of the tables. Two facts are used:
//
//   - Equality is transitive: a = b and b = c say the same as a = b and a = c, if
//     the columns have the same known type.
//   - A table that only connects others can be left out if each row before it has
//     exactly one row in it: all of its joins use the same key of it, and one of
//     them is a declared foreign key to it. A table that is read through a view
//     stays, as the view may hide rows. That declared keys hold is up to the
//     database.
func (r *reader) canonical(tables []string, plan joinpath.Plan) string {
	steps := plan.Steps()
	keep := slices.DeleteFunc(plan.Tables(), func(t string) bool {
		return !slices.Contains(tables, t) && r.onlyLooksUp(t, steps)
	})
	slices.Sort(keep)

	classes := map[string]int{} // column -> number of its class
	members := map[int][]string{}
	types := map[string]string{}
	class := func(table, column string) int {
		name := table + "\x00" + column
		if _, ok := classes[name]; !ok {
			n := len(classes)
			classes[name], members[n], types[name] = n, []string{name}, r.catalog.typeOf(table, column)
		}
		return classes[name]
	}
	for _, step := range steps {
		for i := range step.LeftColumns {
			left, right := class(step.LeftTable, step.LeftColumns[i]), class(step.RightTable, step.RightColumns[i])
			if left == right {
				continue
			}
			for _, name := range members[right] {
				classes[name] = left
			}
			members[left] = append(members[left], members[right]...)
			delete(members, right)
		}
	}

	var lines []string
	for _, names := range members {
		for _, name := range names {
			if len(names) > 2 && (types[name] == "" || types[name] != types[names[0]]) {
				return plan.String() // nothing is proved
			}
		}
		names = slices.DeleteFunc(names, func(name string) bool {
			table, _, _ := strings.Cut(name, "\x00")
			return !slices.Contains(keep, table)
		})
		if slices.Sort(names); len(names) > 1 {
			lines = append(lines, strings.Join(names, "\x01"))
		}
	}
	slices.Sort(lines)
	return strings.Join(keep, "\x01") + "\x02" + strings.Join(lines, "\x02")
}

// onlyLooksUp reports whether leaving a table out of the joins changes no rows.
func (r *reader) onlyLooksUp(table string, steps []joinpath.Step) bool {
	if r.catalog.schema.Tables[table].SecureView != "" {
		return false
	}
	var key []string
	declared := false
	for _, step := range steps {
		var columns []string
		toTable := step.Cardinality // from the other table to this one
		switch table {
		case step.RightTable:
			columns = step.RightColumns
		case step.LeftTable:
			columns, toTable = step.LeftColumns, toTable.Reversed()
		default:
			continue
		}
		columns = slices.Sorted(slices.Values(columns))
		if toTable.FansOut() || key != nil && !slices.Equal(key, columns) {
			return false
		}
		key = columns
		rel := step.Relationship
		declared = declared || rel.Type == joinpath.ForeignKey && rel.Confidence == 1 && rel.ToTable == table
	}
	return declared
}

// typeOf returns the type of a column, or "" if it is not known.
func (c *catalog) typeOf(table, name string) string {
	return c.schema.Tables[table].Types[name]
}

// planTexts returns a text for each plan that says in words of the schema how it
// differs from the others. No two are the same.
func (a *agent) planTexts(ctx context.Context, plans []joinpath.Plan) []string {
	inPlans := map[string]int{}
	for _, plan := range plans {
		for _, t := range plan.Tables() {
			inPlans[t]++
		}
	}
	own := ownSteps(plans)
	frame := a.texts(ctx).JoinChoice
	var out []string
	for _, name := range []func(joinpath.Relationship) string{roleWords, tableWords, columnWords} {
		out = out[:0]
		for _, steps := range own {
			var parts []string
			for _, step := range steps {
				part := name(step.Relationship)
				for _, t := range []string{step.LeftTable, step.RightTable} {
					if inPlans[t] < len(plans) && step.Relationship.Role == "" {
						part = plain(t) // the plans differ in the table
					}
				}
				parts = lists.Add(parts, part)
			}
			out = append(out, usertext.Fill(frame, "role", strings.Join(parts, ", ")))
		}
		if distinctTexts(out) {
			return out
		}
	}
	for i := range out {
		out[i] = fmt.Sprintf("%s (%d)", out[i], i+1)
	}
	return out
}

func distinctTexts(texts []string) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(texts)))) == len(texts)
}

// roleWords returns the role of a relationship in words: the one it has or, without
// one, the words of its columns and of the table that they refer to.
func roleWords(r joinpath.Relationship) string {
	role, table := roleOf(r), plain(r.ToTable)
	has := textmatch.Split(role, nil)
	if plain(r.Role) != "" || slices.ContainsFunc(textmatch.Split(table, nil), func(w string) bool { return slices.Contains(has, w) }) {
		return role
	}
	return role + " " + table
}

// roleOf returns the role of a relationship, or the words of its columns.
func roleOf(r joinpath.Relationship) string {
	if role := plain(r.Role); role != "" {
		return role
	}
	from, _ := r.Columns()
	var parts []string
	for _, column := range from {
		all := strings.Fields(plain(column))
		if last := len(all) - 1; last > 0 && slices.Contains(keyWords, all[last]) {
			all = all[:last]
		}
		parts = append(parts, strings.Join(all, " "))
	}
	return strings.Join(parts, ", ")
}

// keyWords end the name of a column that refers to a row of another table.
var keyWords = []string{"id", "key", "no", "code", "fk"}

// tableWords returns the role with the table that has it.
func tableWords(r joinpath.Relationship) string {
	return roleWords(r) + " (" + plain(r.FromTable) + ")"
}

// columnWords returns the role with the table and the columns as they are named.
func columnWords(r joinpath.Relationship) string {
	from, to := r.Columns()
	return roleWords(r) + " (" + r.FromTable + ": " + strings.Join(from, ", ") + "; " + r.ToTable + ": " + strings.Join(to, ", ") + ")"
}

// plain returns a name of the schema as lower-case words in one short line.
func plain(name string) string {
	return prompt.Clip(strings.Join(strings.Fields(strings.ToLower(textmatch.Spaced(name))), " "), maxRole)
}

const maxRole = 60
