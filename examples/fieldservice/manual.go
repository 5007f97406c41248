package fieldservice

import (
	"embed"
	"io/fs"
)

//go:embed manual/*.md
var manual embed.FS

// Manual returns the user manual of the company's software as Markdown files: core.md,
// customers.md, work-orders.md, inspections.md and invoicing.md. It explains the words in
// the database and the procedures.
func Manual() fs.FS {
	files, err := fs.Sub(manual, "manual")
	if err != nil {
		panic("fieldservice: " + err.Error()) // not reached: the name is valid
	}
	return files
}
