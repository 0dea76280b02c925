package minutes

import (
	"embed"
	"strings"
	"text/template"

	"pressroom/llm"
)

// PromptVersion names the templates that prompts are made from. A change of a file
// in templates/v1 that could change an answer is a new directory and a new version.
const PromptVersion = "v1"

//go:embed templates
var templateFiles embed.FS

// form is one kind of question: its instructions and the form of its answer.
type form struct {
	name   string
	prompt string
	schema *llm.Schema
}

// The forms: a whole meeting, a part of one, the frame around the parts, and fewer
// parts out of many.
var (
	direct = readForm("direct")
	chunk  = readForm("chunk")
	reduce = readForm("reduce")
	fold   = readForm("fold")
)

var message = template.Must(template.New("message").Parse(readTemplate("message.md")))

func readTemplate(name string) string {
	data, err := templateFiles.ReadFile("templates/" + PromptVersion + "/" + name)
	if err != nil {
		panic(err) // the file is part of the program
	}
	return strings.TrimSpace(string(data))
}

func readForm(name string) form {
	return form{
		name:   name,
		prompt: readTemplate(name+".md") + "\n\n" + readTemplate("rules.md"),
		schema: llm.MustSchema("minutes_"+name, []byte(readTemplate(name+".json"))),
	}
}

// heading tells the model which meeting it is about, and which orders are its own.
func heading(m Meeting, own string) string {
	var b strings.Builder
	// It is given what the template names, and writes to memory.
	_ = message.Execute(&b, struct {
		Meeting Meeting
		Own     string
	}{m, own})
	return b.String()
}
