package router

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/figures"
	"github.com/qedkit/qed/internal/answertext"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/llm"
)

// years are years and days, which claim no amount and may be as wrong.
var years = regexp.MustCompile(`\b(?:1[5-9]|20)\d\d(?:-\d\d){0,2}\b`)

// general is the agent of the general route: the model answers a question from what
// it knows, and streams the answer. Numbers of its own are unproved.
func (r *router) general(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
	others := routeTexts(r.routes[:len(r.routes)-1])
	facts, err := qed.Dates(ctx, turn.Text)
	if err != nil {
		return qed.Answer{}, err
	}
	data := generalData{Language: answertext.Tag(ctx), Dates: facts, Routes: others, Known: knownText(ctx)}
	instructions, err := r.model.Render("general", r.prompts["general"], data)
	if err != nil {
		return qed.Answer{}, err
	}
	messages := []llm.Message{{Role: llm.RoleSystem, Content: instructions}}
	messages = append(messages, r.memory.Select(turn.History)...)
	messages = append(messages, llm.Message{Role: llm.RoleUser, Content: strings.TrimSpace(turn.Text)})

	text, err := r.model.Text(ctx, r.model.Send("general", messages...), answertext.Stream(ctx, qed.ChannelFinal))
	a := qed.Answer{Text: text}
	known := append(r.known(ctx, turn), instructions)
	checked := figures.NewText(figures.Source{Language: answertext.Language(ctx, turn.Text), Data: known}, func(string) {})
	checked.Write(text)
	for _, number := range checked.Close(ctx).Unproved {
		if !strings.HasPrefix(number, "{") { // there is nothing to refer to
			a.Unproved = append(a.Unproved, number)
		}
	}
	for _, day := range years.FindAllString(text, -1) {
		said := func(text any) bool { return strings.Contains(text.(string), day) }
		if !slices.ContainsFunc(known, said) && !slices.Contains(a.Unproved, day) {
			a.Unproved = append(a.Unproved, day)
		}
	}
	switch {
	case err == nil && strings.TrimSpace(a.Text) == "":
		a.Partial, a.PartialReason = true, r.texts(ctx).NoText
	case errors.Is(err, llm.ErrRefusal):
		a.Partial, a.PartialReason = true, r.texts(ctx).Declined
	case modelcall.Unusable(err): // the user has seen the streamed text, so it stays the answer
		a.Partial, a.PartialReason = true, r.texts(ctx).CutOff
	case err != nil:
		return qed.Answer{}, err
	}
	if strings.TrimSpace(a.Text) == "" {
		answertext.Append(ctx, &a.Text, a.PartialReason)
	}
	switch doubt := answertext.Doubt(r.texts(ctx).Unproved, a.Unproved); {
	case doubt != "":
		a.Partial, a.PartialReason = true, strings.TrimSpace(a.PartialReason+" "+doubt)
		answertext.Append(ctx, &a.Text, doubt)
	case !a.Partial && facts.NamesTime(): // "nothing was sold in March" has no number, and may be wrong
		a.Partial, a.PartialReason = true, r.texts(ctx).NotLookedUp
	}
	return a, nil
}

// known returns the texts of the conversation but for answers that say that some of their
// numbers may be wrong.
func (r *router) known(ctx context.Context, turn qed.Turn) []any {
	before, _, _ := strings.Cut(r.texts(ctx).Unproved, ": {numbers}")
	words := strings.Fields(before)
	doubt := strings.Join(words[max(0, len(words)-2):], " ") // the same in the texts of all agents
	known := []any{turn.Text}
	for _, m := range turn.History {
		if m.Role == llm.RoleUser || !strings.Contains(m.Content, doubt) {
			known = append(known, m.Content)
		}
	}
	return known
}

// topics returns the answer if no route can be used: the topics of the routes.
func (r *router) topics(ctx context.Context) qed.Answer {
	texts := r.texts(ctx)
	var b strings.Builder
	b.WriteString(texts.Topics)
	for _, route := range r.routes {
		b.WriteString("\n- " + strings.TrimSpace(route.Description))
	}
	qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: b.String()})
	return qed.Answer{Text: b.String(), Partial: true, PartialReason: texts.NoRoute}
}

func routeTexts(routes []Route) []routeText {
	return lists.Map(routes, func(route Route) routeText {
		return routeText{Name: route.Name, Description: route.Description}
	})
}

func routeNames(routes []Route) []string {
	return lists.Map(routes, func(route Route) string { return route.Name })
}
