package pdf_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/qedkit/qed/rag"
	"github.com/qedkit/qed/rag/pdf"
)

// The PDF files of a folder are read next to its Markdown and text files.
func Example() {
	reader, err := pdf.Open()
	if err != nil {
		log.Fatal(err)
	}
	defer reader.Close()
	chunks, err := rag.Read(context.Background(), os.DirFS("manual"), &rag.ReadOptions{
		Loaders: map[string]rag.Loader{".pdf": reader.Load},
	})
	if err != nil {
		log.Fatal(err)
	}
	for _, c := range chunks {
		fmt.Println(c.Document, c.Text)
	}
}
