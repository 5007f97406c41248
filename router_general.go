package qed

import (
	"context"
	"errors"
	"strings"

	"github.com/qedkit/qed/llm"
)

// general answers a question from what the model knows, as the words come.
func (r *router) general(ctx context.Context, turn Turn) (Answer, error) {
	var instructions strings.Builder
	others := routeTexts(r.routes[:len(r.routes)-1])
	if err := r.prompts.General.Execute(&instructions, GeneralData{Routes: others}); err != nil {
		return Answer{}, err
	}
	messages := []llm.Message{{Role: llm.System, Content: instructions.String()}}
	messages = append(messages, r.told(turn.History)...)
	messages = append(messages, llm.Message{Role: llm.User, Content: strings.TrimSpace(turn.Text)})

	var told strings.Builder
	resp, err := r.model.Generate(ctx, r.say("general", messages), func(d llm.Delta) {
		told.WriteString(d.Text)
		Emit(ctx, Token{Channel: ChannelFinal, Content: d.Text})
	})
	switch {
	case err == nil:
		a := Answer{Text: resp.Message.Content, Usage: resp.Usage}
		if strings.TrimSpace(a.Text) == "" {
			a.Partial, a.PartialReason = true, "the model's answer is empty"
		}
		return a, nil
	case !inept(err):
		return Answer{}, err
	}
	// What was told cannot be taken back.
	a := Answer{Text: told.String(), Partial: true, PartialReason: "the model broke off"}
	if errors.Is(err, llm.ErrRefusal) {
		a.PartialReason = "the model declined to answer"
	}
	if failed, ok := errors.AsType[*llm.Error](err); ok && failed.Partial != nil {
		a.Usage = failed.Partial.Usage
	}
	return a, nil
}

// topics is the answer where no route can be taken: what can be asked.
func (r *router) topics(ctx context.Context, reason string) Answer {
	var b strings.Builder
	b.WriteString("I could not tell what this question is about. You can ask me about:")
	for _, route := range r.routes {
		b.WriteString("\n- " + strings.TrimSpace(route.Description))
	}
	Emit(ctx, Token{Channel: ChannelFinal, Content: b.String()})
	return Answer{Text: b.String(), Partial: true, PartialReason: "no route could be chosen: " + reason}
}

func routeTexts(routes []Route) []RouteText {
	texts := make([]RouteText, len(routes))
	for i, route := range routes {
		texts[i] = RouteText{route.Name, route.Description}
	}
	return texts
}

func routeNames(routes []Route) []string {
	names := make([]string, len(routes))
	for i, route := range routes {
		names[i] = route.Name
	}
	return names
}
