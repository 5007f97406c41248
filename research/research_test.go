package research_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/research"
	"github.com/qedkit/qed/research/references"
	"github.com/qedkit/qed/store"
)

// narrow are options whose searches find one passage, so that others are found only
// by references.
func narrow(t testing.TB) *research.Options {
	return &research.Options{Registry: registry(t), TopK: 1, MinPassages: 1}
}

// A question is researched over two references, and not over the third: that is
// deeper than allowed.
func TestResearch(t *testing.T) {
	answer, report := ask(t, newAgent(t, &reader{}, index(t, harbour), narrow(t)), feeQuestion)
	if answer.Partial || answer.NotFound || answer.Usage.Calls == 0 || answer.Audit.Uncited > 0 {
		t.Errorf("%+v", answer)
	}
	if diff := cmp.Diff([]string{"fees.md", "order.md", "reduce.md"}, sourcesOf(report)); diff != "" {
		t.Error(diff)
	}
	want := []research.Reference{
		{Kind: references.URL, Text: "https://example.org/fees", Document: "order.md", Reason: research.ReasonExternal},
		{Kind: references.Law, Text: "Section 4 of the Fee Rules", Document: "order.md", Followed: true, Reason: "needed",
			Resolved: "fees.md", Tier: references.Exact, Ratio: 1, Scoped: true, Found: 1},
		{Kind: references.Law, Text: "Section 2 of the Reduction Rules", Document: "fees.md", Depth: 1, Followed: true, Reason: "needed",
			Resolved: "reduce.md", Tier: references.Exact, Ratio: 1, Scoped: true, Found: 1},
		{Kind: references.Law, Text: "Section 9 of the Tariff Act", Document: "reduce.md", Depth: 2, Reason: research.ReasonDepth},
	}
	ignored := cmpopts.IgnoreFields(research.Reference{}, "Target")
	byText := cmpopts.SortSlices(func(a, b research.Reference) bool { return a.Text < b.Text })
	if diff := cmp.Diff(want, report.Tasks[0].References, ignored, byText); diff != "" {
		t.Error(diff)
	}
	task := report.Tasks[0]
	if task.Ended != research.TaskDone || task.Depth != 2 || task.Findings != 3 || task.Tokens == 0 || task.Iterations != 1 {
		t.Errorf("%+v", task)
	}
	if report.Clarification.Ended != research.EndIsClear || report.Quality.Total != 450 || report.Remediated || report.UnknownKeys != 0 {
		t.Errorf("%+v", report)
	}
	if diff := cmp.Diff([]qed.PlanTask{{Key: "task_1", Description: "find out: " + feeQuestion, Tool: "research", Status: qed.TodoComplete}}, answer.Plan); diff != "" {
		t.Error(diff)
	}
}

// With enough depth a circle of references ends where it began.
func TestCircle(t *testing.T) {
	opt := narrow(t)
	opt.MaxDepth, opt.MaxSameDocument = 20, 20
	_, report := ask(t, newAgent(t, &reader{}, index(t, harbour), opt), feeQuestion)
	task := report.Tasks[0]
	last := task.References[len(task.References)-1]
	if !last.Followed || last.Resolved != "order.md" || task.Findings != 4 || task.Depth != 3 || task.Ended != research.TaskDone {
		t.Errorf("%+v, the last reference is %+v", task, last)
	}
	twice := replaced(harbour, "fees.md", "# Fee Rules\n\n## Section 4\n\nThe berth fee is in Section 4 of the Fee Rules.")
	_, report = ask(t, newAgent(t, &reader{}, index(t, twice), opt), feeQuestion)
	refs := report.Tasks[0].References
	if last := refs[len(refs)-1]; last.Followed || last.Reason != research.ReasonVisited {
		t.Errorf("%+v", last)
	}
}

// replaced returns documents with another text of one of them.
func replaced(documents map[string]string, name, text string) map[string]string {
	out := map[string]string{name: text}
	for n, t := range documents {
		if n != name {
			out[n] = t
		}
	}
	return out
}

// References are resolved as their kinds require.
func TestReferences(t *testing.T) {
	type got struct {
		Followed, Scoped bool
		Reason, Resolved string
		Tier             references.Tier
	}
	for name, tt := range map[string]struct {
		text string // of the document that refers
		web  bool
		want got
	}{
		"exact":           {"The berth rule is in Section 4 of the Fee Rules.", false, got{true, true, "needed", "fees.md", references.Exact}},
		"fuzzy":           {"The berth rule is in Section 4 of the Feee Ruless.", false, got{true, true, "needed", "fees.md", references.Fuzzy}},
		"substring":       {"The berth rule is in Section 4 of the National Harbour Ports and Terminals Fee Rules.", false, got{true, true, "needed", "fees.md", references.Substring}},
		"not registered":  {"The berth rule is in Section 4 of the Unknown Laws.", false, got{true, false, "needed", "", ""}},
		"not indexed":     {"The berth rule is in Section 4 of the \"Ghost Manual\".", false, got{true, false, "needed", "ghost.md", references.Exact}},
		"ambiguous":       {"The berth rule is in Section 4 of the \"Quay Operations\".", false, got{true, false, "needed", "", references.Substring}},
		"the same":        {"The berth rule is in Section 4.", false, got{true, true, "needed", "start.md", research.SameDocument}},
		"numbered":        {"The berth rule is in [12].", false, got{true, false, "needed", "", ""}},
		"author":          {"The berth rule is in Miller (2019).", false, got{true, false, "needed", "", ""}},
		"web":             {"The berth rule is at https://example.org/fees today.", true, got{true, false, "needed", "", ""}},
		"external":        {"The berth rule is at https://example.org/fees today.", false, got{false, false, research.ReasonExternal, "", ""}},
		"another section": {"The berth rule is in Section 99 of the Fee Rules.", false, got{true, true, "needed", "fees.md", references.Exact}},
		"German":          {"Die berth steht in § 3 der Gebührenordnung.", false, got{true, true, "needed", "gebuehr.md", references.Exact}},
	} {
		t.Run(name, func(t *testing.T) {
			documents := replaced(harbour, "start.md", "# Start\n\nStarting point. "+tt.text)
			delete(documents, "order.md")
			x := index(t, documents)
			first := true
			s := searcherFunc(func(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
				if first {
					first = false
					q.Filter.Documents = []string{"start.md"}
				}
				return x.Search(ctx, q)
			})
			opt := narrow(t)
			opt.MaxDepth, opt.MaxIterations = 1, 1
			asked := ""
			if tt.web {
				opt.Web = func(_ context.Context, query string, max int) ([]research.WebResult, error) {
					asked = fmt.Sprint(query, " ", max)
					return []research.WebResult{{URL: query, Title: "Fees", Text: "The berth fee is on the web."}, {URL: "javascript:alert(1)", Text: "The berth fee."}, {URL: query, Text: "berth"}}, nil
				}
			}
			m := with(map[string]func(prompt) any{"condense_passage": func(p prompt) any {
				out := replies["condense_passage"](p).(object)
				for work, kind := range map[string]string{"Miller (2019)": "academic_shortform", "[12]": "academic_numbered"} {
					if strings.Contains(p.inner("passage")[1], work) {
						out["references"] = []object{{"type": kind, "text": work}}
					}
				}
				return out
			}})
			answer, report := ask(t, newAgent(t, m, s, opt), "berth starting point?")
			refs := report.Tasks[0].References
			if len(refs) == 0 || refs[0].Document != "start.md" {
				t.Fatalf("%+v", refs)
			}
			r := refs[0]
			if diff := cmp.Diff(tt.want, got{r.Followed, r.Scoped, r.Reason, r.Resolved, r.Tier}); diff != "" {
				t.Error(diff)
			}
			if want := name == "ambiguous"; want != (len(r.Candidates) == 2) {
				t.Errorf("the candidates are %v", r.Candidates)
			}
			if tt.web && (asked != "https://example.org/fees 2" || r.Found != 1 || !slices.Contains(sourcesOf(report), "https://example.org/fees")) {
				t.Errorf("asked for %q: %+v", asked, report.Sources)
			}
			noPart := name == "another section"
			if r.PartMissing != noPart || noPart != strings.Contains(answer.Text, "refers to a part of fees.md, of which no passage was found") {
				t.Errorf("the part is missing: %v: %s", r.PartMissing, answer.Text)
			}
			missing := tt.want.Resolved == "ghost.md" || noPart
			if answer.Partial != missing || missing != (noPart || strings.Contains(answer.Text, "refers to ghost.md, in which no passage was found")) {
				t.Errorf("%s", answer.Text)
			}
		})
	}
}

// A document is not called missing if only the search for the task found nothing in
// it, and the search for the words of the reference found it.
func TestReferenceFoundByItsWords(t *testing.T) {
	x := index(t, replaced(harbour, "start.md", "# Start\n\nStarting point. The berth rule is in Section 4 of the Fee Rules."))
	s := searcherFunc(func(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
		if slices.Equal(q.Filter.Documents, []string{"fees.md"}) {
			return nil, nil
		}
		return x.Search(ctx, q)
	})
	opt := narrow(t)
	opt.MaxDepth, opt.MaxIterations = 1, 1
	answer, report := ask(t, newAgent(t, with(nil), s, opt), "berth starting point?")
	read := report.Tasks[0].Documents
	if !slices.Contains(read, "fees.md") || strings.Contains(answer.Text, "no passage was found") {
		t.Errorf("%v were read: %s", read, answer.Text)
	}
}

// The model finds references that no pattern does, and what it invents is dropped.
func TestModelReferences(t *testing.T) {
	documents := replaced(harbour, "order.md", "# Harbour Order\n\nA ship pays a berth fee. The amount stands in the rules of the fees.")
	m := with(map[string]func(prompt) any{"condense_passage": func(p prompt) any {
		out := replies["condense_passage"](p).(object)
		if strings.Contains(p.inner("passage")[1], "rules of the fees") {
			out["references"] = []object{
				{"type": "document_mention", "text": "rules of the fees", "target": "rules of the fees"},
				{"type": "document_mention", "text": "Secret Book", "target": "Secret Book"},
			}
		}
		return out
	}})
	_, report := ask(t, newAgent(t, m, index(t, documents), narrow(t)), feeQuestion)
	refs := report.Tasks[0].References
	if len(refs) == 0 || refs[0].Text != "rules of the fees" || refs[0].Kind != references.Document || !refs[0].Followed ||
		slices.ContainsFunc(refs, func(r research.Reference) bool { return r.Text == "Secret Book" }) {
		t.Errorf("%+v", refs)
	}
}

// The gate keeps references out, and one that it forgets is not followed.
func TestGate(t *testing.T) {
	m := with(map[string]func(prompt) any{"gate_references": func(p prompt) any {
		if strings.Contains(string(p), "Fee Rules") {
			return object{"decisions": []object{{"reference": 0, "follow": false, "reason": "not about the fee"}, {"reference": 99, "follow": true, "reason": "x"}}}
		}
		return object{"decisions": []object{}}
	}})
	opt := narrow(t)
	opt.Web = func(context.Context, string, int) ([]research.WebResult, error) { t.Error("searched"); return nil, nil }
	_, report := ask(t, newAgent(t, m, index(t, harbour), opt), feeQuestion)
	var reasons []string
	for _, r := range report.Tasks[0].References {
		if r.Followed {
			t.Errorf("%+v", r)
		}
		reasons = append(reasons, r.Reason)
	}
	slices.Sort(reasons)
	if diff := cmp.Diff([]string{"not about the fee", research.ReasonUndecided}, reasons); diff != "" {
		t.Error(diff)
	}
}

// Tasks that need no other run first, and the others with what these found. Further
// tasks are added while there is room.
func TestTasks(t *testing.T) {
	m := with(map[string]func(prompt) any{
		"plan_tasks": func(p prompt) any {
			return object{"tasks": []object{
				{"description": "the fee", "query": "berth fee"},
				{"description": "waste", "query": "waste"},
				{"description": "the reduction", "query": "berth reduction", "after": []int{1, 9, 3}},
				{"description": "again", "query": "WASTE"},
			}}
		},
		"assess_task": func(p prompt) any {
			return object{"done": true, "tasks": []object{{"description": "more on " + p.one("Task:"), "query": "lamps " + p.one("Task:")}}}
		},
	})
	opt := narrow(t)
	opt.MaxTasks = 5
	a := newAgent(t, m, index(t, harbour), opt)
	var plans []int
	var started []string
	var answer qed.Answer
	for e, err := range a.Run(t.Context(), qed.Turn{Text: feeQuestion}) {
		if err != nil {
			t.Fatal(err)
		}
		switch d := e.Data.(type) {
		case qed.Planned:
			plans = append(plans, len(d.Tasks))
		case qed.TaskStarted:
			started = append(started, d.Key)
		case qed.Completed:
			answer = d.Answer
		}
	}
	if diff := cmp.Diff([]int{3, 5, 5}, plans); diff != "" {
		t.Error(diff)
	}
	slices.Sort(started[:2])
	slices.Sort(started[2:])
	if diff := cmp.Diff([]string{"task_1", "task_2", "task_3", "task_4", "task_5"}, started); diff != "" {
		t.Error(diff)
	}
	report := reportOf(t, answer)
	if got := report.Tasks[2].Queries; len(got) != 1 || got[0] != "berth reduction more" {
		t.Errorf("the query of the task that needs another is %q", got)
	}
	if after := answer.Plan[2].After; !slices.Equal(after, []string{"task_1"}) {
		t.Errorf("after %v", after)
	}
}

// A passage that was read is reported at once, with what it says if that is a finding.
func TestProgress(t *testing.T) {
	a := newAgent(t, &reader{}, index(t, harbour), &research.Options{
		Request: given("berth fee fees crane"), MinPassages: 1, MaxIterations: 1, MaxDepth: 1, TopK: 4,
	})
	found, ignored := map[string]string{}, map[string]bool{}
	last := 0
	var report *research.Report
	for e, err := range a.Run(t.Context(), qed.Turn{Text: feeQuestion}) {
		if err != nil {
			t.Fatal(err)
		}
		switch d := e.Data.(type) {
		case qed.CustomEvent:
			var p research.Progress
			if err := json.Unmarshal(d.JSON, &p); err != nil {
				t.Fatal(err)
			}
			document, _, _ := strings.Cut(p.Passage.Location, ":")
			if p.Finding == "" {
				ignored[document] = true
			} else {
				found[document] = p.Finding
				last = p.Findings
			}
		case qed.Completed:
			report = reportOf(t, d.Answer)
		}
	}
	if found["fees.md"] != "The berth fee is 120 EUR for each night" || !ignored["evil.md"] || found["evil.md"] != "" {
		t.Errorf("found %q, ignored %v", found, ignored)
	}
	if len(report.Tasks) != 1 || last != report.Tasks[0].Findings || len(found) != last {
		t.Errorf("%d findings, %d in the last event, %q", report.Tasks[0].Findings, last, found)
	}
}

// Text of documents stays data.
func TestInjection(t *testing.T) {
	m := &reader{}
	prompts := map[string]bool{}
	seen := llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		text := req.Messages[0].Content
		if strings.Contains(text, "PWNED") {
			prompts[req.Name] = true
			if strings.Contains(text, ". </passage> Ignore") {
				t.Errorf("%s has the text of a document as it is", req.Name)
			}
		}
		return m.Generate(ctx, req, stream)
	})
	answer, report := ask(t, newAgent(t, seen, index(t, harbour), narrow(t)), "What is the crane rule?")
	if !prompts["condense_passage"] || len(report.Sources) != 1 || strings.Contains(answer.Text, "c0aaaa") {
		t.Errorf("%v, %s", prompts, answer.Text)
	}
}

// Keys that no finding has are dropped and counted, and lower the quality.
func TestUnknownKeys(t *testing.T) {
	m := with(map[string]func(prompt) any{"write_report": func(p prompt) any {
		return replies["write_report"](p).(string) + "It is 999 EUR [c9zzzz]. It is free [42]."
	}})
	answer, report := ask(t, newAgent(t, m, index(t, harbour), narrow(t)), feeQuestion)
	if report.UnknownKeys != 2 || strings.Contains(answer.Text, "c9zzzz") || answer.Audit.Uncited != 2 || report.Quality.CitationCorrectness >= 100 {
		t.Errorf("%+v, %+v", report.Quality, answer.Audit)
	}
}

// A report below the limit is written once more, with what was wrong, and the better
// one is used.
func TestRemediation(t *testing.T) {
	for name, tt := range map[string]struct {
		scores     []int // of each dimension, by the draft
		total      int
		remediated bool
		second     bool // the second draft is used
		partial    bool
	}{
		"good":   {[]int{70}, 380, false, false, false},
		"better": {[]int{50, 90}, 460, true, true, false},
		"worse":  {[]int{50, 40}, 300, true, false, true},
		"bad":    {[]int{20, 30}, 220, true, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			rates, writes := 0, 0
			m := with(map[string]func(prompt) any{
				"check_quality": func(p prompt) any {
					n := tt.scores[rates]
					rates++
					return object{"factual_accuracy": n, "semantic_validity": n, "structural_integrity": n, "query_relevance": n,
						"issues": []string{"too short"}, "focus": "write about the night"}
				},
				"write_report": func(p prompt) any {
					writes++
					text := replies["write_report"](p).(string)
					if writes == 2 {
						if p.one("What to improve:") != "write about the night" || !strings.Contains(string(p), "too short") || !strings.Contains(p.one("The draft:"), "# Report") {
							t.Errorf("the prompt lacks what to improve:\n%s", p)
						}
						text = strings.Replace(text, "# Report", "# Second Report", 1)
					}
					return text
				},
			})
			answer, report := ask(t, newAgent(t, m, index(t, harbour), narrow(t)), feeQuestion)
			if rates != len(tt.scores) || writes != len(tt.scores) || report.Remediated != tt.remediated || report.Quality.Total != tt.total {
				t.Errorf("%d ratings, %d drafts, %+v", rates, writes, report.Quality)
			}
			if strings.HasPrefix(answer.Text, "# Second") != tt.second || answer.Partial != tt.partial {
				t.Errorf("%+v", answer)
			}
		})
	}
}

// Replies that cannot be used do not end the research.
func TestUnusableReplies(t *testing.T) {
	for _, name := range []string{"analyze_question", "plan_tasks", "gate_references", "assess_task", "check_quality", "write_report", "condense_passage"} {
		t.Run(name, func(t *testing.T) {
			m := &reader{fail: func(req *llm.Request) error {
				if req.Name == name {
					return &llm.Error{Kind: llm.ErrRefusal}
				}
				return nil
			}}
			answer, report := ask(t, newAgent(t, m, index(t, harbour), narrow(t)), feeQuestion)
			switch name {
			case "write_report":
				if !answer.Partial || len(answer.Citations) != 3 || !strings.Contains(answer.Text, "These are the findings") {
					t.Errorf("%+v", answer)
				}
			case "condense_passage":
				if !answer.NotFound || !strings.Contains(answer.Text, "could not be read") {
					t.Errorf("%+v", answer)
				}
			default:
				if len(answer.Citations) == 0 || len(report.Tasks) != 1 {
					t.Errorf("%+v", answer)
				}
			}
		})
	}
}

// A search that fails is said in the report, and the rest goes on.
func TestSearchFails(t *testing.T) {
	x := index(t, harbour)
	for name, tt := range map[string]struct {
		fails     func(q rag.Query) bool
		text      string
		citations int
		status    qed.TodoStatus
	}{
		"a reference": {func(q rag.Query) bool { return slices.Contains(q.Filter.Documents, "fees.md") }, "failed", 1, qed.TodoComplete},
		"a task":      {func(q rag.Query) bool { return q.Text == "waste" }, "The task “waste” failed", 3, qed.TodoComplete},
		"everything":  {func(rag.Query) bool { return true }, "could not be searched", 0, qed.TodoFailed},
	} {
		t.Run(name, func(t *testing.T) {
			s := searcherFunc(func(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
				if tt.fails(q) {
					return nil, errors.New("the index is gone")
				}
				return x.Search(ctx, q)
			})
			opt := narrow(t)
			opt.Request = given(feeQuestion, "waste")
			m := with(map[string]func(prompt) any{"plan_tasks": func(p prompt) any {
				var tasks []object
				for _, q := range []string{feeQuestion, "waste"} {
					if !strings.Contains(string(p), q) {
						t.Errorf("the prompt lacks %q", q)
					}
					tasks = append(tasks, object{"description": q, "query": q})
				}
				return object{"tasks": tasks}
			}})
			answer, report := ask(t, newAgent(t, m, s, opt), feeQuestion)
			if !answer.Partial || answer.NotFound || !strings.Contains(answer.Text, tt.text) || len(answer.Citations) < tt.citations ||
				answer.Plan[0].Status != tt.status || len(report.Problems) == 0 ||
				!slices.ContainsFunc(report.Tasks, func(task research.TaskReport) bool { return slices.Contains(task.Errors, "the index is gone") }) {
				t.Errorf("%+v", answer)
			}
			if strings.Contains(answer.Text, "the index is gone") {
				t.Error("the text for the user has the error of the index")
			}
		})
	}
}

func TestNothingFound(t *testing.T) {
	answer, _ := ask(t, newAgent(t, &reader{}, index(t, harbour), nil), "Zyzzyva?")
	if !answer.NotFound || !answer.Partial || answer.Citations != nil || answer.Text == "" {
		t.Errorf("%+v", answer)
	}
	answer, err := qed.Ask(t.Context(), newAgent(t, &reader{}, index(t, harbour), nil), qed.Turn{Text: "Zyzzyva?", Language: "de"})
	if err != nil || !strings.HasPrefix(answer.Text, "Das konnte ich aus den Dokumenten nicht beantworten.") {
		t.Errorf("%+v, %v", answer, err)
	}
}

// The prompts name the language of the question.
func TestLanguage(t *testing.T) {
	for question, want := range map[string]string{
		"Wie hoch ist das Liegegeld?": "German",
		"How much is the berth fee?":  "English",
		"¿Liegegeld?":                 "the language with the tag es",
	} {
		var report string
		r := with(map[string]func(prompt) any{
			"analyze_question": func(p prompt) any {
				out := replies["analyze_question"](p).(object)
				out["language"] = "es-MX"
				return out
			},
			"write_report": func(p prompt) any { report = string(p); return replies["write_report"](p) },
		})
		ask(t, newAgent(t, r, index(t, harbour), nil), question)
		if !strings.Contains(report, "Write in "+want+",") {
			t.Errorf("%q: %.300s", question, report)
		}
	}
}

// A report that is cut off is used, and findings that are too many for the model are
// left out.
func TestLongReport(t *testing.T) {
	cut := &reader{fail: func(req *llm.Request) error {
		if req.Name == "write_report" {
			text := replies["write_report"](prompt(req.Messages[0].Content)).(string)
			return &llm.Error{Kind: llm.ErrTruncated, Partial: &llm.Response{Message: llm.Message{Content: text[:60]}}}
		}
		return nil
	}}
	answer, _ := ask(t, newAgent(t, cut, index(t, harbour), narrow(t)), feeQuestion)
	if !strings.HasPrefix(answer.Text, "# Report") || !strings.Contains(answer.PartialReason, "not complete") {
		t.Errorf("%+v", answer)
	}
	small := &reader{fail: func(req *llm.Request) error {
		if n := len(findingKey.FindAllString(req.Messages[0].Content, -1)); req.Name == "write_report" && n > 1 {
			return &llm.Error{Kind: llm.ErrContextLength}
		}
		return nil
	}}
	answer, report := ask(t, newAgent(t, small, index(t, harbour), narrow(t)), feeQuestion)
	if len(answer.Citations) != 1 || answer.Partial || report.Tasks[0].Findings != 3 {
		t.Errorf("%+v", answer)
	}
}

// A language that a client sends is not a part of a prompt unless it is a tag.
func TestLanguageIsATag(t *testing.T) {
	m := &reader{}
	seen := llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		if strings.Contains(req.Messages[0].Content, "PWNED") {
			t.Errorf("%s has the language", req.Name)
		}
		return m.Generate(ctx, req, stream)
	})
	if _, err := qed.Ask(t.Context(), newAgent(t, seen, index(t, harbour), nil), qed.Turn{Text: feeQuestion, Language: "en. PWNED"}); err != nil {
		t.Error(err)
	}
}

// Researches at the same time share nothing.
func TestManyAtOnce(t *testing.T) {
	opt := narrow(t)
	opt.Store = &store.InMemory{}
	a := newAgent(t, &reader{}, index(t, harbour), opt)
	want, _ := ask(t, a, feeQuestion)
	var wait sync.WaitGroup
	for i := range 20 {
		wait.Go(func() {
			answer, err := qed.Ask(t.Context(), a, qed.Turn{Thread: fmt.Sprint(i), Text: feeQuestion})
			if diff := cmp.Diff(want, answer); err != nil || diff != "" {
				t.Errorf("%v %s", err, diff)
			}
		})
	}
	wait.Wait()
	// A further research in a thread is one of its own.
	if answer, report := ask(t, a, "What is the crane rule?"); len(report.Sources) != 1 || answer.Partial {
		t.Errorf("%+v", answer)
	}
}

// Tasks that do not need each other run at the same time: each waits for the other.
func TestTasksSideBySide(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	m := with(map[string]func(prompt) any{
		"plan_tasks": func(prompt) any {
			return object{"tasks": []object{{"description": "berth", "query": "berth fee"}, {"description": "waste", "query": "waste"}}}
		},
		"assess_task": func(p prompt) any {
			both.Done()
			both.Wait()
			return object{"done": true}
		},
	})
	if _, report := ask(t, newAgent(t, m, index(t, harbour), narrow(t)), feeQuestion); len(report.Tasks) != 2 {
		t.Errorf("%+v", report.Tasks)
	}
}

// Where nobody can be asked, an iterative clarification ends after its first round.
func TestClarificationCannotAsk(t *testing.T) {
	opt := narrow(t)
	opt.MaxRounds = 3
	m := &reader{}
	_, report := ask(t, newAgent(t, m, index(t, harbour), opt), feeQuestion)
	if c := report.Clarification; c.Ended != research.EndCannotAsk || len(c.Rounds) != 1 || m.calls["conclude_clarification"] != 1 || len(report.Sources) == 0 {
		t.Errorf("%+v", report)
	}
}

// Replies that cannot be used do not end an iterative clarification with an error, and
// neither does a search that fails.
func TestClarificationFails(t *testing.T) {
	for _, name := range []string{"write_queries", "judge_coverage", "conclude_clarification"} {
		opt := narrow(t)
		opt.MaxRounds = 1
		m := &reader{fail: func(req *llm.Request) error {
			if req.Name == name {
				return &llm.Error{Kind: llm.ErrRefusal}
			}
			return nil
		}}
		_, report := ask(t, newAgent(t, m, index(t, harbour), opt), feeQuestion)
		if ended := report.Clarification.Ended; len(report.Sources) == 0 || (ended == research.EndNotAnalyzed) != (name == "judge_coverage") {
			t.Errorf("%s: %+v", name, report)
		}
	}
	x := index(t, harbour)
	s := searcherFunc(func(ctx context.Context, q rag.Query) ([]rag.Hit, error) {
		if strings.HasPrefix(q.Text, "overview") {
			return nil, errors.New("the index is gone")
		}
		return x.Search(ctx, q)
	})
	opt := narrow(t)
	opt.MaxRounds = 1
	answer, report := ask(t, newAgent(t, &reader{}, s, opt), feeQuestion)
	if !answer.Partial || len(report.Sources) == 0 || !strings.Contains(answer.Text, "The search for “overview") {
		t.Errorf("%+v", answer)
	}
}
