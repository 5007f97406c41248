package sqlagent

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/refusal"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
)

// filterRelationships finds the relationships around the chosen tables that have
// at least the confidence of the options. Those between two of them come first.
func (a *agent) filterRelationships(_ context.Context, s state) (state, error) {
	s.Near = a.relationshipsAmong(s.Tables, a.opt.Limits.Relationships, true)
	return s, nil
}

// relationshipsAmong returns at most limit relationships between the tables, as
// indexes into the catalog. With around, those that lead to other tables follow.
func (r *reader) relationshipsAmong(tables []string, limit int, around bool) []int {
	var inside, outside []int
	for i, rel := range r.catalog.relationships {
		if rel.Confidence < r.opt.MinConfidence {
			continue
		}
		from, to := slices.Contains(tables, rel.FromTable), slices.Contains(tables, rel.ToTable)
		switch {
		case from && to:
			inside = append(inside, i)
		case around && (from || to):
			outside = append(outside, i)
		}
	}
	all := append(inside, outside...)
	return all[:min(limit, len(all))]
}

// findPaths finds the shortest joins between each two of the chosen tables.
func (a *agent) findPaths(ctx context.Context, s state) (state, error) {
	for i, from := range s.Tables {
		for _, to := range s.Tables[i+1:] {
			if err := ctx.Err(); err != nil {
				return s, err
			}
			path, err := a.catalog.graph.ShortestPath(from, to)
			if errors.Is(err, joinpath.ErrNoPath) {
				continue
			}
			if err != nil {
				return s, err
			}
			if len(s.Paths) < a.opt.Limits.Paths {
				s.Paths = append(s.Paths, path.String())
			}
		}
	}
	return s, nil
}

// planJoins finds the join of all chosen tables with the lowest cost, and adds the
// tables that connect them. If several plans have that cost and may give other
// rows, the model sees all of them. If the tables cannot be connected, it sees the
// groups that can, and the paths between pairs.
func (a *agent) planJoins(ctx context.Context, s state) (state, error) {
	plans, err := a.connect(ctx, s.Tables)
	switch {
	case err != nil:
		return s, err
	case plans == nil:
		s.Joins, s.Unconnected = s.Paths, a.groups(s.Tables)
		if len(s.Unconnected) == 1 {
			s.Unconnected = nil // pairs of tables join within maxHops
		}
	default:
		if !s.GuessedTables { // nobody can say how tables that nobody chose belong together
			if plans, err = a.choosePlan(ctx, &s, plans); err != nil {
				return s, err
			}
		}
		s.Joins, s.Choices = joinLines(plans[0]), a.ties(plans)
		s.Near = slices.DeleteFunc(s.Near, func(i int) bool { return joins(plans[0], a.catalog.relationships[i]) })
	}
	s.Joined = a.joined(s.Tables, plans)
	qed.Emit(ctx, qed.JoinPlanned{Tables: s.Joined, Joins: s.Joins, Ties: s.Choices, Unconnected: s.Unconnected})
	return s, nil
}

// joins reports whether a plan joins by a relationship.
func joins(plan joinpath.Plan, r joinpath.Relationship) bool {
	return slices.ContainsFunc(plan.Steps(), func(s joinpath.Step) bool { return s.Relationship.Key() == r.Key() })
}

// choosePlan returns the one of several plans that the question names, or that the user chose
// earlier in the conversation. Otherwise it interrupts the run and asks the user, if the
// options say so. If nobody chooses, it returns all of them.
func (a *agent) choosePlan(ctx context.Context, s *state, plans []joinpath.Plan) ([]joinpath.Plan, error) {
	if !a.opt.InterruptForJoins || len(plans) < 2 {
		return plans, nil
	}
	plans = plans[:min(len(plans), a.opt.Limits.Paths)]
	texts := a.planTexts(ctx, plans)
	i := namedPlan(s.Question, plans)
	if i < 0 {
		i = s.decided(plans)
	}
	if i < 0 {
		q := question.Question{Text: a.texts(ctx).WhichJoin}
		for i, text := range texts {
			q.Choices = append(q.Choices, question.Choice{ID: strconv.Itoa(i + 1), Text: text})
		}
		chosen, err := qed.Interrupt[string](ctx, q)
		if errors.Is(err, qed.ErrCannotInterrupt) {
			return plans, nil
		}
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(chosen)
		if err != nil || n < 1 || n > len(q.Choices) {
			return plans, nil
		}
		i = n - 1
		decided := map[string]bool{}
		maps.Copy(decided, s.Decided)
		maps.Copy(decided, decisions(plans, i))
		s.Decided = decided
	}
	s.Chosen = a.chosen(plans, i, texts[i])
	return plans[i : i+1], nil
}

// connect returns the plans with the lowest cost that join all tables, one of each
// set that provably gives the same rows. Plans with more than maxHops joins from a
// chosen table to the next are not used; connect emits [qed.Warning] if none is
// left. It returns nil if there is no plan.
func (r *reader) connect(ctx context.Context, tables []string) ([]joinpath.Plan, error) {
	found, err := r.catalog.graph.Connect(ctx, tables...)
	if errors.Is(err, joinpath.ErrDisconnected) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var within []joinpath.Plan
	var tooLong string
	for _, plan := range found.Plans {
		from, to, hops := longestGap(plan, tables)
		if hops <= maxHops {
			within = append(within, plan)
		} else if tooLong == "" {
			tooLong = fmt.Sprintf("the tables %q and %q are %d joins apart, more than %d: no plan of the joins is used",
				from, to, hops, maxHops)
		}
	}
	if len(within) == 0 {
		qed.Emit(ctx, qed.Warning{Code: "joins_too_long", Message: tooLong})
		return nil, nil
	}
	return r.distinct(tables, within), nil
}

// groups returns the tables in groups that joins of at most maxHops connect.
func (r *reader) groups(tables []string) [][]string {
	var groups [][]string
	for _, t := range tables {
		joined := []string{t}
		groups = slices.DeleteFunc(groups, func(group []string) bool {
			near := slices.ContainsFunc(group, func(other string) bool {
				_, err := r.catalog.graph.ShortestPath(t, other)
				return err == nil
			})
			if near {
				joined = append(slices.Clone(group), joined...)
			}
			return near
		})
		groups = append(groups, joined)
	}
	return groups
}

// ErrUnconnected is the code of the problem of a statement that makes a Cartesian
// product of tables that no relationships connect.
const ErrUnconnected refusal.Code = "unconnected_tables"

// checkJoins returns the problem of a statement whose FROM combines tables of
// several groups without a condition. It records the groups that conditions of the
// statement's own connect, and the tables that it does not read.
func (a *agent) checkJoins(s *state, stmt *secureview.Statement) []refusal.Problem {
	s.Guessed, s.LeftOut = false, nil
	if len(s.Unconnected) == 0 {
		return nil
	}
	for _, j := range a.prover.Check(stmt).Joins {
		left, right := groupOf(s.Unconnected, j.Tables[0]), groupOf(s.Unconnected, j.Tables[1])
		switch {
		case left < 0 || right < 0 || left == right:
		case len(j.Columns) > 0 || j.Condition:
			s.Guessed = true
		default:
			return []refusal.Problem{{Code: ErrUnconnected, Message: "no relationship connects " +
				groupsText(s.Unconnected, " with ") + ", and this query combines each row of one with each row of the other: " +
				"read them in separate subqueries that return one row, in a UNION ALL, or leave one out"}}
		}
	}
	for _, group := range s.Unconnected {
		read := slices.ContainsFunc(stmt.Tables(), func(t dialect.TableName) bool {
			return slices.Contains(group, a.nameOf(t))
		})
		if !read {
			s.LeftOut = append(s.LeftOut, group...)
		}
	}
	return nil
}

// groupOf returns the index of the group that has a table, or -1.
func groupOf(groups [][]string, table string) int {
	return slices.IndexFunc(groups, func(g []string) bool { return slices.Contains(g, table) })
}

// groupsText returns groups of tables in one line.
func groupsText(groups [][]string, between string) string {
	return strings.Join(lists.Map(groups, func(group []string) string { return strings.Join(group, ", ") }), between)
}

// joined returns the tables and those that connect them in any of the plans.
func (r *reader) joined(tables []string, plans []joinpath.Plan) []string {
	all := slices.Clone(tables)
	for _, plan := range plans {
		all = lists.Add(all, plan.Tables()...)
	}
	return all[:min(len(all), r.opt.Limits.Tables)]
}

// ties returns the plans after the first, which have the same cost.
func (r *reader) ties(plans []joinpath.Plan) []string {
	return lists.Map(plans[1:min(len(plans), r.opt.Limits.Paths)], func(plan joinpath.Plan) string {
		return plan.String()
	})
}

// joinLines returns a plan for a prompt, one line per join. A line says if the join
// repeats rows, and if it pairs rows only because they share one.
func joinLines(plan joinpath.Plan) []string {
	var out []string
	shared := plan.SharedRows()
	for _, step := range plan.Steps() {
		line := step.String() + roleText(step.Relationship)
		switch {
		case step.FansOut && slices.Contains(shared, step.Left):
			line += " (pairs rows of " + step.Right + " with all others that share a row of " + step.Left + ")"
		case step.FansOut:
			line += " (repeats rows of " + step.Left + ")"
		}
		out = append(out, line)
	}
	return out
}

// lines returns relationships for a prompt, one line each.
func (r *reader) lines(indexes []int) []string {
	out := make([]string, len(indexes))
	for i, index := range indexes {
		rel := r.catalog.relationships[index]
		out[i] = rel.String() + roleText(rel)
	}
	return out
}

// roleText returns the role of a relationship for a prompt, with a space before
// it. It is empty if there is none.
func roleText(rel joinpath.Relationship) string {
	if rel.Role == "" {
		return ""
	}
	return " (role " + prompt.Quote(prompt.Clip(rel.Role, maxRole)) + ")"
}
