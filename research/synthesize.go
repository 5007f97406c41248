package research

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/prompt"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag/citation"
)

// reportData is the data of the prompts that write and rate a report.
type reportData struct {
	Question, Language, Context string
	Gaps                        []string
	Findings                    []shown
	Draft, Focus                string // of the draft to improve or to rate
	Issues                      []string
	Dates                       dates.Facts
}

// ShrinkRows leaves out the less relevant half of the findings.
func (d *reportData) ShrinkRows() bool { return modelcall.Halve(&d.Findings, 1) }

// reportData returns the data with the findings and their keys.
func (s *state) reportData(sources []source) reportData {
	d := reportData{Question: s.Question, Language: s.language(), Context: s.Context}
	for _, t := range s.Tasks {
		d.Gaps = append(d.Gaps, t.Gaps...)
	}
	for _, f := range sources {
		d.Findings = append(d.Findings, f.shown)
	}
	return d
}

// A source is a passage with all findings in it.
type source struct {
	finding
	shown
}

// sources returns the passages of the findings, the most relevant first, each with a
// key of its own.
func (s *state) sources() []source {
	var all []source
	at := map[string]int{}
	for _, f := range best(s.Findings) {
		i, known := at[id(f.Chunk)]
		switch {
		case known && !strings.Contains(all[i].shown.Text, f.Text):
			all[i].shown.Text += "\n" + f.Text
		case !known && len(all) < maxReportFindings:
			at[id(f.Chunk)] = len(all)
			all = append(all, source{f, shown{Title: f.Chunk.Citation().Title, Text: f.Text}})
		}
	}
	texts := []string{s.Question, s.Context}
	var wanted []string
	for i := range all {
		c := all[i].Chunk
		texts = append(texts, all[i].Title, all[i].shown.Text, c.Text)
		wanted = append(wanted, citation.Key(c.Document, strconv.Itoa(c.Number), c.Text))
	}
	for i, key := range citation.Keys(wanted, texts...) {
		all[i].Key = key
	}
	return all
}

// synthesize is the node that writes the report. It also runs when the budget is used
// up, and then writes it from what was found so far.
func (a *agent) synthesize(ctx context.Context, s state) (state, error) {
	if err := a.checkRights(ctx, &s); err != nil {
		return s, err
	}
	sources := s.sources()
	if len(sources) == 0 {
		s.Drafts = append(s.Drafts, draft{Notes: true})
		return s, nil
	}
	facts, err := qed.Dates(ctx, s.Question)
	if err != nil {
		return s, err
	}
	data := s.reportData(sources)
	data.Dates = facts
	if len(s.Drafts) > 0 {
		first := s.Drafts[0]
		data.Draft, data.Focus, data.Issues = first.Text, first.Focus, first.Quality.Issues
	}
	text, err := a.write(ctx, &s, data)
	final := qed.BudgetExceeded(ctx) != nil || len(s.Drafts) > 0 // no other node can write it
	switch {
	case text != "" && (err == nil || errors.Is(err, llm.ErrTruncated)):
		s.Drafts = append(s.Drafts, draft{Text: text, Cut: err != nil})
	case err == nil, useless(err), spent(err) && final:
		s.Drafts = append(s.Drafts, draft{Text: notes(sources), Notes: true})
	default:
		return s, err
	}
	return s, nil
}

// write returns the report that the model writes. If the findings are too many for the
// model, it gets the more relevant half of them, and so on.
func (a *agent) write(ctx context.Context, s *state, data reportData) (string, error) {
	for {
		req, err := a.model.Request("write_report", reportPrompt, &data, nil)
		if err != nil {
			return "", err
		}
		text, err := a.model.Text(ctx, req, answertext.Stream(ctx, qed.ChannelDraft))
		half := len(data.Findings) / 2
		if !errors.Is(err, llm.ErrContextLength) || half == 0 {
			return strings.TrimSpace(text), err
		}
		data.Findings = data.Findings[:half]
	}
}

// notes returns the findings as the text of a report.
func notes(sources []source) string {
	var b strings.Builder
	for _, f := range sources {
		fmt.Fprintf(&b, "- %s [%s]\n", prompt.OneLine(f.shown.Text), f.Key)
	}
	return strings.TrimSpace(b.String())
}

// cite resolves the keys of a draft.
func cite(d draft, sources []source) (citation.Result, *qed.CitationAudit) {
	all := lists.Map(sources, func(f source) citation.Source {
		return citation.Source{Key: f.Key, Text: f.Title + "\n" + f.Chunk.Text}
	})
	text := citation.NewText(all, nil)
	text.Write(d.Text)
	result := text.Close()
	if result.Text == "" {
		return result, nil
	}
	audit := result.Audit(all)
	return result, &audit
}

// rated is the model's reply to the prompt that rates a report.
type rated struct {
	FactualAccuracy     int      `json:"factual_accuracy" jsonschema:"minimum=0,maximum=100"`
	SemanticValidity    int      `json:"semantic_validity" jsonschema:"minimum=0,maximum=100"`
	StructuralIntegrity int      `json:"structural_integrity" jsonschema:"minimum=0,maximum=100"`
	QueryRelevance      int      `json:"query_relevance" jsonschema:"minimum=0,maximum=100"`
	Issues              []string `json:"issues,omitempty"`
	Focus               string   `json:"focus,omitempty"`
}

// checkQuality is the node that rates the last draft. Without a rating the draft is
// used as it is.
func (a *agent) checkQuality(ctx context.Context, s state) (state, error) {
	if err := a.checkRights(ctx, &s); err != nil {
		return s, err
	}
	d := &s.Drafts[len(s.Drafts)-1]
	sources := s.sources()
	result, audit := cite(*d, sources)
	if d.Notes || audit == nil || result.None || qed.BudgetExceeded(ctx) != nil {
		return s, nil
	}
	data := s.reportData(sources)
	data.Draft = d.Text
	reply, err := modelcall.Reply[rated](ctx, a.model, "check_quality", qualityPrompt, &data, nil)
	switch {
	case err != nil && (useless(err) || spent(err)):
		return s, nil
	case err != nil:
		return s, err
	}
	q := &Quality{
		FactualAccuracy: reply.FactualAccuracy, SemanticValidity: reply.SemanticValidity,
		StructuralIntegrity: reply.StructuralIntegrity, QueryRelevance: reply.QueryRelevance,
		CitationCorrectness: citationCorrectness(*audit), Issues: clipped(reply.Issues, 20, maxNote),
	}
	for _, f := range audit.Findings[:min(len(audit.Findings), 20)] {
		q.Issues = append(q.Issues, tidy(fmt.Sprintf("%s %s: %s", f.Kind, f.Text, f.Sentence), maxNote))
	}
	q.Total = q.FactualAccuracy + q.SemanticValidity + q.StructuralIntegrity + q.CitationCorrectness + q.QueryRelevance
	d.Quality, d.Focus = q, tidy(reply.Focus, maxReply)
	// A report that is good enough is not written again.
	if len(s.Drafts) == 1 && q.Total < minQuality {
		return s, nil
	}
	s.Finished.Report.Quality = q
	return s, nil
}

// citationCorrectness returns the share of the claims with a source and without a
// finding, from 0 to 100.
func citationCorrectness(audit qed.CitationAudit) int {
	if audit.Claims == 0 {
		return 0
	}
	wrong := map[string]bool{}
	unknown := 0
	for _, f := range audit.Findings {
		if f.Sentence == "" {
			unknown++
		} else {
			wrong[f.Sentence] = true
		}
	}
	return max(0, 100*(audit.Claims-len(wrong)-unknown)/audit.Claims)
}

// afterChecking returns the node after the rating: a draft that is not good enough is
// written once more.
func afterChecking(s state) string {
	if len(s.Drafts) == 1 && s.Drafts[0].Quality != nil && s.Finished.Report.Quality == nil {
		return "synthesize"
	}
	return "attribute_sources"
}

// attribute is the node that resolves the citations of the better draft, and makes
// the answer of it.
func (a *agent) attribute(ctx context.Context, s state) (state, error) {
	if err := a.checkRights(ctx, &s); err != nil {
		return s, err
	}
	facts, err := qed.Dates(ctx, s.Question)
	if err != nil {
		return s, err
	}
	texts := a.texts(ctx, &s)
	sources := s.sources()
	var chosen draft
	for i, d := range s.Drafts {
		if i == 0 || !d.Notes && (d.Quality == nil || chosen.Quality == nil || d.Quality.Total > chosen.Quality.Total) {
			chosen = d
		}
	}
	f := &s.Finished
	result, audit := cite(chosen, sources)
	f.Report = Report{
		Question: s.Question, Language: s.Language, Clarification: s.Clarification, Analysis: s.Analysis,
		Queries: s.Queries, Context: s.Context, Tasks: s.Tasks, Quality: chosen.Quality,
		Remediated: len(s.Drafts) > 1, UnknownKeys: len(result.Unknown), Problems: s.Problems,
	}
	f.Text, f.Audit = result.Text, audit
	for _, at := range result.Cited {
		src := sources[at]
		f.Citations = append(f.Citations, src.Chunk.Citation())
		f.Report.Sources = append(f.Report.Sources, Source{src.Chunk.Document, src.Score, src.Depth, src.Web})
	}
	limited := qed.BudgetExceeded(ctx) != nil || s.limited()
	switch {
	case s.Rejected != "":
		f.Text, f.Reason = s.Rejected, s.Rejected
	case f.Text == "":
		f.Reason, f.NotFound = texts.Nothing, true
		if limited {
			f.Reason, f.NotFound = texts.Limit, false
		} else if s.failed() {
			f.Reason, f.NotFound = texts.Failed, false
		}
		f.Text = usertext.Fill(texts.NoAnswer, "reason", f.Reason)
	case chosen.Notes:
		f.Text, f.Reason = texts.OnlyNotes+"\n\n"+f.Text, texts.OnlyNotes
	case limited:
		f.Reason = texts.Shortened
	case chosen.Cut:
		f.Reason = texts.CutOff
	case len(f.Citations) == 0:
		f.Reason = texts.NotCited
	case chosen.Quality != nil && chosen.Quality.Total < minQuality:
		f.Reason = usertext.Fill(texts.Below, "quality", strconv.Itoa(chosen.Quality.Total))
	case len(s.Problems) > 0:
		f.Reason = texts.Incomplete
	}
	f.Unproved = answertext.Unproved(f.Audit, facts.Now)
	if doubt := answertext.Doubt(texts.Unproved, f.Unproved); doubt != "" && s.Rejected == "" {
		f.Reason = strings.TrimSpace(f.Reason + " " + doubt)
		f.Text += "\n\n" + doubt
	}
	if len(s.Problems) > 0 {
		f.Text += "\n\n## " + texts.Missing + "\n"
		for _, p := range s.Problems {
			f.Text += "\n- " + p
		}
	}
	if s.Rejected == "" && result.Text != "" {
		f.Text += "\n\n" + texts.method(&f.Report, s.Request.Collections, audit)
	}
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: f.Text})
	return s, nil
}

// limited reports whether the budget of the run ended a task.
func (s *state) limited() bool {
	return slices.ContainsFunc(s.Tasks, func(t TaskReport) bool { return t.Ended == TaskBudget })
}

// failed reports whether all tasks failed.
func (s *state) failed() bool {
	return len(s.Tasks) > 0 && !slices.ContainsFunc(s.Tasks, func(t TaskReport) bool { return t.Ended != TaskFailed })
}

// finish returns the answer of a finished turn.
func (a *agent) finish(ctx context.Context, s state) (qed.Answer, error) {
	if err := a.checkRights(ctx, &s); err != nil {
		return qed.Answer{}, err
	}
	f := s.Finished
	raw, err := json.Marshal(f.Report)
	if err != nil {
		return qed.Answer{}, fmt.Errorf("research: %w", err)
	}
	return qed.Answer{
		Text: f.Text, Citations: f.Citations, Audit: f.Audit, NotFound: f.NotFound,
		Unproved: f.Unproved,
		Partial:  f.Reason != "", PartialReason: f.Reason, Plan: s.planTasks(),
		Artifacts: []qed.Artifact{{Name: reportName, MediaType: reportMedia, Data: raw}},
	}, nil
}
