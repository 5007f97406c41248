package sqlagent

import (
	"context"
	"strconv"
	"strings"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/sqlproof/proof"
)

// noteProof says what was found out about the query: all of it next to the query, and in the
// text what a reader must know.
func (a *agent) noteProof(ctx context.Context, s *state) {
	r := s.Query.Proof
	if r == nil {
		return
	}
	texts := a.texts(ctx)
	s.Query.Meaning = meaning(texts, r.Meaning)
	s.Query.Checked = checked(texts, r)
	for i := range r.Findings {
		f := &r.Findings[i]
		text := findingText(texts, f)
		switch {
		case text == "":
		case f.Severity == proof.Error:
			s.say(ctx, text)
		case f.Code == proof.Chasm, f.Code == proof.FanOut && f.Severity == proof.Question, f.Code == proof.BareColumn,
			f.Code == proof.NotInNull, f.Code == proof.InnerJoinOptional && f.Missing != nil:
			s.add(ctx, text)
		}
	}
}

// checked returns a line for each aggregate, and for each finding about something else.
func checked(texts *texts, r *proof.Report) (lines []string) {
	add := func(line string) {
		for _, other := range lines {
			if line == other {
				return
			}
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	said := map[string]bool{} // values that a finding is about
	for i := range r.Findings {
		f := &r.Findings[i]
		if text := findingText(texts, f); text != "" {
			add(text)
			said[f.Subject] = true
		}
	}
	for _, a := range r.Aggregates {
		if said[a.Text] || !strings.Contains(a.Text, "(") {
			continue
		}
		text := ""
		switch {
		case a.Verdict == dates.NotChecked:
			text = texts.NotChecked
		case a.Verdict == dates.Proved && a.RowsRepeat == proof.Yes:
			text = texts.Unaffected
		case a.Verdict == dates.Proved && len(a.Of) > 0:
			text = texts.Once
		case a.Verdict == dates.Proved && a.Counts != "":
			a.Of, text = []string{a.Counts}, texts.Counts
		}
		add(usertext.Fill(text, "value", a.Text, "of", strings.Join(a.Of, ", ")))
	}
	return lines
}

// findingText returns a finding for users, or "" if it is for developers.
func findingText(texts *texts, f *proof.Finding) string {
	text := ""
	switch f.Code {
	case proof.FanOut, proof.Chasm:
		if f.Severity == proof.Note && f.Code == proof.Chasm {
			return usertext.Fill(texts.JoinedMany, "left", f.Of[0], "right", f.By[0], "table", f.Subject)
		}
		text = texts.MayRepeat
		switch f.Severity {
		case proof.Error:
			text = texts.Repeats
		case proof.Note:
			text = texts.NotChecked
		}
	case proof.DistinctNoRepair, proof.UnionDedup:
		text = texts.Merged
	case proof.CountRows:
		text = texts.Counts
		switch {
		case f.Of[0] == "":
			text = texts.NotChecked
		case len(f.By) > 0:
			text = texts.MayRepeat
		}
	case proof.CountOuter:
		text = texts.CountsNone
	case proof.BareColumn:
		text = texts.OneOfGroup
	case proof.IntegerDivision:
		text = texts.Rounded
	case proof.NoTable:
		text = texts.NoTable
	case proof.NullCompare:
		text = texts.NeverTrue
	case proof.NotInNull:
		text = texts.NotInNull
	case proof.ValueUnknown:
		text = texts.NoSuchValue
	case proof.JoinRole:
		text = texts.ByRole
	case proof.OuterJoinUndone:
		text = texts.OuterUndone
	case proof.InnerJoinOptional:
		text = texts.MayMiss
		if f.Missing != nil {
			text = texts.Missing
		}
	}
	count := ""
	if f.Missing != nil {
		count = strconv.FormatInt(*f.Missing, 10)
	}
	of := f.Of
	if len(of) == 0 {
		of = f.By
	}
	return usertext.Fill(text, "value", f.Subject, "of", strings.Join(of, ", "), "by", strings.Join(f.By, ", "), "count", count)
}

// meaning returns what a query computes, in one line.
func meaning(texts *texts, m *proof.Meaning) string {
	if m == nil || len(m.Tables) == 0 {
		return ""
	}
	tables := strings.Join(m.Tables, ", ")
	rows := texts.MeaningRows
	if m.Distinct {
		rows = texts.MeaningDistinct
	}
	parts := []string{usertext.Fill(rows, "tables", tables)}
	if len(m.Values) > 0 {
		values := lists.Map(m.Values, func(v proof.Value) string { return valueText(texts, v) })
		parts[0] = usertext.Fill(texts.MeaningValues, "values", strings.Join(values, ", "), "tables", tables)
	}
	if len(m.Matching) > 0 {
		parts[0] += " " + usertext.Fill(texts.MeaningMatching, "conditions", strings.Join(m.Matching, ", "))
	}
	where := m.Where
	if m.Having != "" {
		where = append(where[:len(where):len(where)], m.Having)
	}
	if len(where) > 0 {
		parts = append(parts, usertext.Fill(texts.MeaningWhere, "conditions", strings.Join(where, ", ")))
	}
	if len(m.GroupBy) > 0 {
		parts = append(parts, usertext.Fill(texts.MeaningGroups, "groups", strings.Join(m.GroupBy, ", ")))
	}
	switch {
	case m.Limit > 0 && len(m.OrderBy) > 0:
		parts = append(parts, usertext.Fill(texts.MeaningLimit, "n", strconv.Itoa(m.Limit), "order", strings.Join(m.OrderBy, ", ")))
	case m.Limit > 0:
		parts = append(parts, usertext.Fill(texts.MeaningFirst, "n", strconv.Itoa(m.Limit)))
	}
	return strings.Join(parts, "; ")
}

func valueText(texts *texts, v proof.Value) string {
	text := texts.FunctionOf
	switch {
	case v.Function == "count" && v.Of == "":
		text = texts.NumberOfRows
	case v.Function == "count" && v.Distinct:
		text = texts.DifferentOf
	case v.Function == "count":
		text = texts.NumberOf
	case v.Function == "sum":
		text = texts.SumOf
	case v.Function == "avg":
		text = texts.AverageOf
	case v.Function == "min":
		text = texts.LowestOf
	case v.Function == "max":
		text = texts.HighestOf
	}
	of := v.Of
	if v.Distinct && v.Function != "count" {
		of = "DISTINCT " + of
	}
	return usertext.Fill(text, "of", of, "function", v.Function)
}
