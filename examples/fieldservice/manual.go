package fieldservice

import (
	"embed"
	"io/fs"
)

//go:embed manual/*.md
var manual embed.FS

// Manual is the user manual of the software that the company works with, as Markdown files: core.md, customers.md,
// work-orders.md, inspections.md and invoicing.md. It says what the words in the database mean, and how things are done.
func Manual() fs.FS {
	files, err := fs.Sub(manual, "manual")
	if err != nil {
		panic("fieldservice: " + err.Error()) // the name of the folder is valid
	}
	return files
}
