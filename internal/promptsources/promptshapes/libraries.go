package promptshapes

import "confab/schemas"

// libraryShapes are the stock prompts of langchain-classic 1.0.8 (chains/question_answering, chains/qa_with_sources,
// chains/retrieval_qa, chains/summarize), of LangChain's hub (rlm/rag-prompt) and of llama-index-core 0.14.25
// (prompts/default_prompts, prompts/chat_prompts, query_engine/citation_query_engine, chat_engine/context,
// chat_engine/condense_plus_context), as the libraries send them.
func libraryShapes() []Shape {
	plain := separated("\n\n")
	expert := system("You are an expert Q&A system that is trusted around the world.\nAlways answer the query using the provided context information, and not prior knowledge.\n" +
		"Some rules to follow:\n1. Never directly reference the given context in your answer.\n2. Avoid statements like 'Based on the context, ...' or 'The context information ...' or anything along those lines.")
	return []Shape{
		{Name: "langchain stuff", join: plain, messages: []schemas.Message{user("Use the following pieces of context to answer the question at the end. If you don't know the answer, just say that you don't know, don't try to make up an answer.\n\n{context}\n\nQuestion: {question}\nHelpful Answer:")}},
		{Name: "langchain stuff, chat", join: plain, messages: []schemas.Message{system("Use the following pieces of context to answer the user's question.\nIf you don't know the answer, just say that you don't know, don't try to make up an answer.\n----------------\n{context}"), user("{question}")}},
		{Name: "langchain refine", join: plain, messages: []schemas.Message{user("Context information is below. \n------------\n{context}\n------------\nGiven the context information and not prior knowledge, answer the question: {question}\n")}},
		{Name: "langchain refine, chat", join: plain, messages: []schemas.Message{system("Context information is below.\n------------\n{context}\n------------\nGiven the context information and not prior knowledge, answer any questions"), user("{question}")}},
		{Name: "langchain refine, next", join: plain, messages: []schemas.Message{user("The original question is as follows: {question}\nWe have provided an existing answer: It is not known.\nWe have the opportunity to refine the existing answer (only if needed) with some more context below.\n" +
			"------------\n{context}\n------------\nGiven the new context, refine the original answer to better answer the question. If the context isn't useful, return the original answer.")}},
		{Name: "langchain map", join: plain, messages: []schemas.Message{user("Use the following portion of a long document to see if any of the text is relevant to answer the question. \nReturn any relevant text verbatim.\n{context}\nQuestion: {question}\nRelevant text, if any:")}},
		{Name: "langchain rerank", join: plain, messages: []schemas.Message{user("Use the following pieces of context to answer the question at the end. If you don't know the answer, just say that you don't know, don't try to make up an answer.\n\n" +
			"In addition to giving an answer, also return a score of how fully it answered the user's question. This should be in the following format:\n\nQuestion: [question here]\nHelpful Answer: [answer here]\nScore: [score between 0 and 100]\n\n" +
			"How to determine the score:\n- Higher is a better answer\n- Don't be overconfident!\n\nExample #1\n\nContext:\n---------\nApples are red\n---------\nQuestion: what color are apples?\nHelpful Answer: red\nScore: 100\n\n" +
			"Begin!\n\nContext:\n---------\n{context}\n---------\nQuestion: {question}\nHelpful Answer:")}},
		{Name: "langchain with sources", join: numbered("Content: %[2]s\nSource: %[1]d-pl", "\n\n"), messages: []schemas.Message{user("Given the following extracted parts of a long document and a question, create a final answer with references (\"SOURCES\"). \n" +
			"If you don't know the answer, just say that you don't know. Don't try to make up an answer.\nALWAYS return a \"SOURCES\" part in your answer.\n\n" +
			"QUESTION: Which state/country's law governs the interpretation of the contract?\n=========\nContent: This Agreement is governed by English law.\nSource: 28-pl\nContent: No Waiver. Failure or delay in exercising any right.\n\n11.7 Severability.\nSource: 30-pl\n=========\n" +
			"FINAL ANSWER: This Agreement is governed by English law.\nSOURCES: 28-pl\n\nQUESTION: {question}\n=========\n{context}\n=========\nFINAL ANSWER:")}},
		{Name: "langchain hub", join: plain, messages: []schemas.Message{user("You are an assistant for question-answering tasks. Use the following pieces of retrieved context to answer the question. If you don't know the answer, just say that you don't know. Use three sentences maximum and keep the answer concise.\nQuestion: {question} \nContext: {context} \nAnswer:")}},
		{Name: "langchain system", join: plain, messages: []schemas.Message{system("You are an assistant for question-answering tasks. Use the following pieces of retrieved context to answer the question. If you don't know the answer, say that you don't know. Use three sentences maximum and keep the answer concise.\n\n{context}"), user("{question}")}},
		{Name: "langchain summarize", Summary: true, join: plain, messages: []schemas.Message{user("Write a concise summary of the following:\n\n\n\"{context}\"\n\n\nCONCISE SUMMARY:")}},
		{Name: "llamaindex text qa", join: plain, messages: []schemas.Message{user("Context information is below.\n---------------------\n{context}\n---------------------\nGiven the context information and not prior knowledge, answer the query.\nQuery: {question}\nAnswer: ")}},
		{Name: "llamaindex text qa, chat", join: plain, messages: []schemas.Message{expert, user("Context information is below.\n---------------------\n{context}\n---------------------\nGiven the context information and not prior knowledge, answer the query.\nQuery: {question}\nAnswer: ")}},
		{Name: "llamaindex tree", join: plain, messages: []schemas.Message{expert, user("Context information from multiple sources is below.\n---------------------\n{context}\n---------------------\nGiven the information from multiple sources and not prior knowledge, answer the query.\nQuery: {question}\nAnswer: ")}},
		{Name: "llamaindex refine", join: plain, messages: []schemas.Message{user("The original query is as follows: {question}\nWe have provided an existing answer: It is not known.\nWe have the opportunity to refine the existing answer (only if needed) with some more context below.\n------------\n{context}\n------------\n" +
			"Given the new context, refine the original answer to better answer the query. If the context isn't useful, return the original answer.\nRefined Answer: ")}},
		{Name: "llamaindex refine, chat", join: plain, messages: []schemas.Message{user("You are an expert Q&A system that strictly operates in two modes when refining existing answers:\n1. **Rewrite** an original answer using the new context.\n2. **Repeat** the original answer if the new context isn't useful.\n" +
			"Never reference the original answer or context directly in your answer.\nWhen in doubt, just repeat the original answer.\nNew Context: {context}\nQuery: {question}\nOriginal Answer: It is not known.\nNew Answer: ")}},
		{Name: "llamaindex citation", join: numbered("Source %d:\n%s\n", "\n\n"), messages: []schemas.Message{user("Please provide an answer based solely on the provided sources. When referencing information from a source, cite the appropriate source(s) using their corresponding numbers. Every answer should include at least one source citation. " +
			"Only cite a source when you are explicitly referencing it. If none of the sources are helpful, you should indicate that. For example:\nSource 1:\nThe sky is red in the evening and blue in the morning.\nSource 2:\nWater is wet when the sky is red.\nQuery: When is water wet?\n" +
			"Answer: Water will be wet when the sky is red [2], which occurs in the evening [1].\nNow it's your turn. Below are several numbered sources of information:\n------\n{context}\n------\nQuery: {question}\nAnswer: ")}},
		{Name: "llamaindex context chat", join: plain, messages: []schemas.Message{system("Use the context information below to assist the user.\n--------------------\n{context}\n--------------------\n"), user("{question}")}},
		{Name: "llamaindex condense plus context", join: plain, messages: []schemas.Message{system("\n  The following is a friendly conversation between a user and an AI assistant.\n  The assistant is talkative and provides lots of specific details from its context.\n  If the assistant does not know the answer to a question, it truthfully says it\n  does not know.\n\n" +
			"  Here are the relevant documents for the context:\n\n  {context}\n\n  Instruction: Based on the above documents, provide a detailed answer for the user question below.\n  Answer \"don't know\" if not present in the document.\n  "), user("{question}")}},
		{Name: "llamaindex summary", Summary: true, join: plain, messages: []schemas.Message{user("Write a summary of the following. Try to use only the information provided. Try to include as many key details as possible.\n\n\n{context}\n\n\nSUMMARY:\"\"\"\n")}},
	}
}
