package main

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/question"
)

// An offer is what the page lets the user do next, as the page sends it after the answer
// before it.
type offer struct {
	label string
	body  func(before qed.Answer) map[string]any
}

func saying(text string) offer {
	return offer{text, func(qed.Answer) map[string]any {
		return map[string]any{"messages": []map[string]string{{"id": rand.Text(), "role": "user", "content": text}}}
	}}
}

// replying is a reply to the nth question.
func replying(n int, label string, payload any) offer {
	return offer{label, func(before qed.Answer) map[string]any {
		return map[string]any{"resume": []map[string]any{{"interruptId": before.Questions[n].ID, "status": "resolved", "payload": payload}}}
	}}
}

var dropping = offer{"Never mind", func(qed.Answer) map[string]any {
	return map[string]any{"resume": []map[string]any{{"interruptId": "", "status": "cancelled"}}}
}}

// slash finds a command that a question for a text names: the page has a button for it.
var slash = regexp.MustCompile(`(?:^|\s)(/[a-z]+)\b`)

// offers returns what the page offers after an answer to an offer.
func offers(recorded [][]string, after offer, answer qed.Answer) []offer {
	var all []offer
	for n, q := range answer.Questions {
		switch q.Kind {
		case question.KindChoice:
			for _, c := range q.Choices {
				all = append(all, replying(n, c.Text, c.ID))
			}
		case question.KindApproval:
			all = append(all, replying(n, "Approve", map[string]string{"decision": "approve"}),
				replying(n, "Reject", map[string]string{"decision": "reject", "reason": "too expensive"}))
		default:
			all = append(all, replying(n, "Both, please.", "Both, please."))
			for _, c := range slash.FindAllStringSubmatch(q.Text, -1) {
				all = append(all, replying(n, c[1], c[1]))
			}
		}
	}
	if len(answer.Questions) > 0 {
		all = append(all, dropping)
	}
	for _, together := range recorded {
		if i := slices.Index(together, after.label); i >= 0 && i+1 < len(together) {
			all = append(all, saying(together[i+1]))
		}
	}
	for _, a := range answer.Artifacts {
		if a.MediaType == explorationMedia {
			all = append(all, saying(reportRequest))
		}
	}
	return all
}

const explorationMedia = "application/vnd.qed.exploration+json"

// turn posts an offer as the page does, and returns the answer.
func (p *program) turn(t *testing.T, thread string, o offer, before qed.Answer) qed.Answer {
	t.Helper()
	body := map[string]any{"threadId": thread, "runId": rand.Text(), "messages": []any{}}
	maps.Copy(body, o.body(before))
	raw, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.Post(p.address+"/agui", "application/json", bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	lines := bufio.NewScanner(resp.Body)
	lines.Buffer(nil, 16<<20)
	for lines.Scan() {
		data, ok := strings.CutPrefix(lines.Text(), "data: ")
		if !ok {
			continue
		}
		var event struct {
			Type, Message string
			Result        qed.Answer
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			t.Fatalf("%v: %s", err, data)
		}
		switch event.Type {
		case "RUN_ERROR":
			t.Errorf("%s fails: %s", o.label, event.Message)
			return qed.Answer{}
		case "RUN_FINISHED":
			return event.Result
		}
	}
	t.Errorf("%s: status %d, and no answer: %v", o.label, resp.StatusCode, lines.Err())
	return qed.Answer{}
}

// TestOffers takes each way through what the page offers without a model: the questions at
// the start and those that follow, choices, commands, approvals, rejections and reports.
// Each has an answer whose figures are proved.
func TestOffers(t *testing.T) {
	p := start(t, filepath.Join(t.TempDir(), "conversations.db"))
	taken, ways := map[string]bool{}, 0
	var walk func(t *testing.T, path []offer)
	walk = func(t *testing.T, path []offer) {
		ways++
		thread := fmt.Sprint("offer-", ways)
		last := path[len(path)-1]
		taken[last.label] = true
		var answer qed.Answer
		for _, o := range path {
			if answer = p.turn(t, thread, o, answer); t.Failed() {
				return
			}
		}
		// A research says that a document is missing, or that it was not done.
		partial := strings.Contains(answer.Text, "## Was fehlt") || last.label == "Reject"
		if answer.Text == "" || answer.Partial != partial || len(answer.Unproved) > 0 || strings.Contains(answer.Text, "(unknown)") {
			t.Errorf("partial: %t, unproved: %v: %s", answer.Partial, answer.Unproved, answer.Text)
		}
		if answer.Audit != nil && len(answer.Audit.Findings) > 0 {
			t.Errorf("its citations do not prove it: %v", answer.Audit.Findings)
		}
		if len(path) == 5 {
			return
		}
		for _, o := range offers(suggestions, last, answer) {
			t.Run(o.label, func(t *testing.T) { walk(t, append(slices.Clone(path), o)) })
		}
	}
	for _, together := range suggestions {
		t.Run(together[0], func(t *testing.T) { walk(t, []offer{saying(together[0])}) })
	}
	for _, want := range []string{
		"by the billing location", "by the shipping location", reportRequest, "/end", "Approve", "Reject", "Never mind",
	} {
		if !taken[want] {
			t.Errorf("%s was not offered", want)
		}
	}
	for _, together := range suggestions {
		for _, text := range together {
			if !taken[text] {
				t.Errorf("%s was not offered", text)
			}
		}
	}
}
