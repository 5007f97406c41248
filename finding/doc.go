// Package finding defines the result of a tool in the form that agents understand: a
// text, rows as a reference, the queries that ran, artifacts, citations, and the
// entities that the question is about.
//
// A tool returns a [Finding], or embeds it in its own result:
//
//	type result struct {
//		finding.Finding
//		Ports int `json:"ports"`
//	}
//
// Rows and large artifacts are saved in the thread, and the finding refers to
// them: [SaveRows] and [SaveArtifact] return the references. Another tool has a
// [RowsRef] in its arguments and reads the rows with [RowsRef.Table]. An agent
// reads the findings of its tools with [Parse].
package finding
