package serve_test

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"testing"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/serve"
	"github.com/qedkit/qed/store"
)

// openAI returns the client of OpenAI for a server.
func openAI(url string) openai.Client {
	return openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey("none"), option.WithMaxRetries(0))
}

func TestCompletions(t *testing.T) {
	st := new(store.InMemory)
	url, _ := newServer(t, qed.Durable(rich, st, nil), &serve.Options{Store: st})
	client := openAI(url)
	models, err := client.Models.List(t.Context())
	if err != nil || len(models.Data) != 1 || models.Data[0].ID != "qed" {
		t.Fatalf("%+v %v", models, err)
	}
	params := openai.ChatCompletionNewParams{
		Model: "qed", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("How many?")},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{IncludeUsage: openai.Bool(true)},
	}
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	var sum openai.ChatCompletionAccumulator
	for stream.Next() {
		if !sum.AddChunk(stream.Current()) {
			t.Errorf("the chunk does not follow: %+v", stream.Current())
		}
	}
	if err := stream.Err(); err != nil {
		t.Fatal(err)
	}
	params.StreamOptions = openai.ChatCompletionStreamOptionsParam{}
	whole, err := client.Chat.Completions.New(t.Context(), params)
	if err != nil {
		t.Fatal(err)
	}
	for name, got := range map[string]openai.ChatCompletion{"streamed": sum.ChatCompletion, "whole": *whole} {
		if len(got.Choices) != 1 || got.Choices[0].Message.Content != "There are 10." || got.Choices[0].FinishReason != "stop" ||
			got.Usage.TotalTokens != 15 || got.Usage.PromptTokens != 12 || got.Model != "qed" || got.ID == "" {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestCompletionsHistory(t *testing.T) {
	url, _ := newServer(t, rich, nil)
	client := openAI(url)
	got, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
		Model: "qed", Messages: []openai.ChatCompletionMessageParamUnion{
			openai.SystemMessage("You may do everything."), openai.UserMessage("Hello"), openai.AssistantMessage("Hi"),
			openai.UserMessage([]openai.ChatCompletionContentPartUnionParam{
				openai.TextContentPart("What is it?"), openai.ImageContentPart(openai.ChatCompletionContentPartImageImageURLParam{URL: "data:,"}),
			}),
			openai.UserMessage("history"),
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	want := `[{"role":"user","content":"You may do everything."},{"role":"user","content":"Hello"},{"role":"assistant","content":"Hi"},{"role":"user","content":"What is it?\n(image_url left out)"}]`
	if got.Choices[0].Message.Content != want {
		t.Error(got.Choices[0].Message.Content)
	}
}

// Clients read the text alone, so it has why it is partial, once.
func TestCompletionsPartial(t *testing.T) {
	const cut, doubt = "The text is not complete.", "Possibly wrong: 31."
	for name, tt := range map[string]struct{ text, reason, want string }{
		"complete":           {"Two.", "", "Two."},
		"not in the text":    {"Two.", cut, "Two.\n\n" + cut},
		"in the text":        {"I could not answer this. " + cut, cut, "I could not answer this. " + cut},
		"one is in the text": {"31 of them.\n\n" + doubt, cut + " " + doubt, "31 of them.\n\n" + doubt + "\n\n" + cut},
		"both are":           {"31.\n\n" + cut + "\n\n" + doubt, cut + " " + doubt, "31.\n\n" + cut + "\n\n" + doubt},
		"no text":            {"", cut, cut},
	} {
		t.Run(name, func(t *testing.T) {
			agent := qed.AgentFunc(func(ctx context.Context, _ qed.Turn) (qed.Answer, error) {
				qed.Emit(ctx, qed.Token{Channel: qed.ChannelFinal, Content: tt.text})
				return qed.Answer{Text: tt.text, Partial: tt.reason != "", PartialReason: tt.reason}, nil
			})
			url, _ := newServer(t, agent, nil)
			client := openAI(url)
			params := openai.ChatCompletionNewParams{Model: "qed",
				Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("How many?")}}
			whole, err := client.Chat.Completions.New(t.Context(), params)
			if err != nil {
				t.Fatal(err)
			}
			var streamed openai.ChatCompletionAccumulator
			for stream := client.Chat.Completions.NewStreaming(t.Context(), params); stream.Next(); {
				streamed.AddChunk(stream.Current())
			}
			for _, got := range []openai.ChatCompletion{*whole, streamed.ChatCompletion} {
				if text := got.Choices[0].Message.Content; text != tt.want {
					t.Errorf("the text is %q, want %q", text, tt.want)
				}
			}
		})
	}
}

// With a conversation a question is answered by the next message.
func TestCompletionsQuestion(t *testing.T) {
	st := new(store.InMemory)
	url, _ := newServer(t, qed.Durable(rich, st, nil), nil)
	client := openAI(url)
	for _, turn := range [][2]string{{"ask", "Which crew?\n1. North\n2. South"}, {"2", "The crew is s."}} {
		got, err := client.Chat.Completions.New(t.Context(), openai.ChatCompletionNewParams{
			Model: "qed", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage(turn[0])},
			Metadata: map[string]string{"conversation_id": "c1"},
		})
		if err != nil || got.Choices[0].Message.Content != turn[1] {
			t.Errorf("%q: %+v %v", turn[0], got, err)
		}
	}
}

func TestCompletionsErrors(t *testing.T) {
	url, _ := newServer(t, rich, nil)
	client := openAI(url)
	params := openai.ChatCompletionNewParams{Model: "qed", Messages: []openai.ChatCompletionMessageParamUnion{openai.UserMessage("fail")}}
	_, err := client.Chat.Completions.New(t.Context(), params)
	if e, ok := errors.AsType[*openai.Error](err); !ok || e.StatusCode != http.StatusInternalServerError || !strings.Contains(e.Message, "Something went wrong") {
		t.Error(err)
	}
	stream := client.Chat.Completions.NewStreaming(t.Context(), params)
	for stream.Next() {
	}
	if err := stream.Err(); err == nil || !strings.Contains(err.Error(), "Something went wrong") {
		t.Error(err)
	}
	params.Model = "other"
	_, err = client.Chat.Completions.New(t.Context(), params)
	if e, ok := errors.AsType[*openai.Error](err); !ok || e.StatusCode != http.StatusNotFound || e.Code != "model_not_found" {
		t.Error(err)
	}
}
