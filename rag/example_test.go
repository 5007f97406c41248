package rag_test

import (
	"context"
	"fmt"
	"log"
	"regexp"
	"strings"
	"testing/fstest"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/llm/llmtest"
	"github.com/qedkit/qed/rag"
)

// withKeys returns a model like m that writes the key of the first passage of its prompt for
// [1], and so on: a script does not know the keys.
func withKeys(m llm.Model) llm.Model {
	return llm.ModelFunc(func(ctx context.Context, req *llm.Request, stream func(llm.Delta)) (*llm.Response, error) {
		var keys []string
		for _, message := range req.Messages {
			for i, found := range regexp.MustCompile(`(?m)^\[(c[0-9][a-z2-7]{4})\] `).FindAllStringSubmatch(message.Content, -1) {
				keys = append(keys, fmt.Sprintf("[%d]", i+1), "["+found[1]+"]")
			}
		}
		replace := strings.NewReplacer(keys...).Replace
		resp, err := m.Generate(ctx, req, func(d llm.Delta) {
			if d.Text = replace(d.Text); stream != nil {
				stream(d)
			}
		})
		if resp != nil {
			resp.Message.Content = replace(resp.Message.Content)
		}
		return resp, err
	})
}

// The model is scripted (it cites the first passage as [1]), and the chunks are found by their words. In a real
// program the model and an Embedder for IndexOptions come from a provider such as
// llm/openai, and the files from os.DirFS.
func Example() {
	manual := fstest.MapFS{"orders.md": {Data: []byte(`# Work orders

## Statuses

On hold means that the work waits for a part.

## Cancelling

Choose *Cancel*. A cancelled work order cannot be opened again.
`)}}
	model := withKeys(llmtest.New(llmtest.Rule{
		Name:    "answer_from_documents",
		Replies: []llmtest.Reply{{Text: "No, it stays cancelled [1]. Ask support for help [7]."}},
	}))
	ctx := context.Background()

	chunks, err := rag.Read(ctx, manual, nil)
	if err != nil {
		log.Fatal(err)
	}
	index, err := rag.NewIndex(rag.NewMemory(), nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := index.Put(ctx, chunks); err != nil {
		log.Fatal(err)
	}
	agent, err := rag.New(model, index, nil)
	if err != nil {
		log.Fatal(err)
	}
	answer, err := qed.Ask(ctx, agent, qed.Turn{Text: "Can I reopen a cancelled work order?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Text)
	for i, c := range answer.Citations {
		fmt.Printf("[%d] %s, %s\n", i+1, c.Title, c.Location)
	}
	fmt.Printf("%d of %d claims have no source\n", answer.Audit.Uncited, answer.Audit.Claims)
	// Output:
	// No, it stays cancelled [1]. Ask support for help.
	// [1] orders.md › Work orders › Cancelling, orders.md:7-9
	// 1 of 2 claims have no source
}

func ExampleIndex_Search() {
	chunks := []rag.Chunk{
		{Document: "orders.md", Text: "On hold means that the work waits for a part."},
		{Document: "orders.md", Text: "A cancelled work order cannot be opened again."},
	}
	ctx := context.Background()
	index, err := rag.NewIndex(rag.NewMemory(), nil)
	if err != nil {
		log.Fatal(err)
	}
	if err := index.Put(ctx, chunks); err != nil {
		log.Fatal(err)
	}
	hits, err := index.Search(ctx, rag.Query{Text: "Who cancels work orders?", K: 5})
	if err != nil {
		log.Fatal(err)
	}
	for _, h := range hits {
		fmt.Printf("%.1f %s\n", h.Score, h.Chunk.Text)
	}
	// Output:
	// 1.5 A cancelled work order cannot be opened again.
	// 0.2 On hold means that the work waits for a part.
}

// A file that cannot be read is reported, and the others are used.
func ExampleRead() {
	files := fstest.MapFS{
		"manual.md":  {Data: []byte("# Cancelling\n\nChoose *Cancel*.")},
		"fees.html":  {Data: []byte("<h1>Fees</h1><p>None.</p>")},
		"broken.txt": {Data: []byte("Malm\xf6")},
	}
	chunks, err := rag.Read(context.Background(), files, nil)
	if err != nil {
		fmt.Println(err)
	}
	for _, c := range chunks {
		fmt.Printf("%s, bytes %d to %d: %q\n", c.Document, c.Start, c.End, c.Text)
	}
	// Output:
	// rag: broken.txt: not valid UTF-8, nor in an encoding that the file names: convert the file
	// fees.html, bytes 4 to 21: "Fees\n\nNone."
	// manual.md, bytes 0 to 30: "# Cancelling\n\nChoose *Cancel*."
}
