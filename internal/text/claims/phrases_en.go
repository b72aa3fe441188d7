package claims

// english are the phrases of English. What the sources do not say is read by shape; see abstention.go.
const english = `
opener: sure | certainly | okay | ok | absolutely | overall | yes | of course | in summary | in conclusion | in short | in brief |
to summarize | to conclude | to sum up | in general | in a nutshell | please note that | please note | note that | please be aware that |
it is important to note that | it's important to note that | it is worth noting that | it's worth noting that | it should be noted that |
keep in mind that | please keep in mind that | please keep in mind | bear in mind that | please bear in mind that | to answer your question |
additionally it is mentioned that | it is mentioned that | it is stated that | unfortunately | good news | good question | great question |
we are pleased to inform you that | i am pleased to inform you that | we're happy to inform you that | i'm afraid | i am afraid |
please remember that | thanks for asking | as i said | as mentioned | perhaps

excuse: i'm sorry | i am sorry | i'm so sorry | i am so sorry | we're sorry | we are sorry | sorry | i apologize | i apologise |
we apologize | we apologise | apologies | my apologies | please accept our apologies | as an ai i | as an ai assistant | as an ai language | as an ai model | as an ai chatbot | as a language model | as a virtual assistant | as an assistant i |
as an artificial intelligence | i am an ai | i'm an ai | i'm just an ai | that's a great question | that's a good question |
i understand that | i understand how | i understand your | i completely understand | i fully understand | i totally understand |
i'm just a language model | i'm only a language model | i am only a language model | i'm a language model | i'm only an ai

polite: i hope | we hope | hope this | hope that | hope it | hopefully this | hopefully that | my knowledge is | my answer is | my response is | my training | let me know | let us know | please let me | please let us |
feel free to | please feel free | please don't hesitate | please do not hesitate | don't hesitate | do not hesitate | if you have any questions |
if you have any further | if you have any other | if you have any more | if you have any additional | if you have any concerns |
if you have any queries | if you have any doubts | if you have any comments | if you have any feedback | if you have any trouble |
if you have further | if you have more | if you have questions | if you need any | if you need more | if you need further | if you need help let | if you need help please |
if you need help feel | if you need help with anything | if you need help just |
if you need anything | if anything is unclear | if anything else | if something is unclear | if there is anything | if there's anything |
should you have any | should you need | i'd be happy | i would be happy | i am happy to | i'm happy to | i'd be glad | i would be glad |
i'm glad | i am glad | happy to help | glad to help | glad to hear | sorry to hear | thank you for | thank you so | thank you very | thanks for |
thanks again | many thanks | thank you in advance | thanks in advance | is there anything | hello | hi there | hi everyone | good morning |
good afternoon | good evening | please provide | could you please | i can help | i'll help | i will help | you're welcome | you're very welcome |
you are welcome | have a great | have a good | have a nice |
have a lovely | have a wonderful | have a safe | have a fantastic | have fun | enjoy your | enjoy the | good luck with | good luck on | good luck and | good luck to you | best of luck | best wishes | kind regards | best regards | warm regards | yours faithfully | yours sincerely |
sincerely | happy to | happy reading | happy coding |
happy gardening | happy cooking | happy baking | happy learning | happy travels | happy exploring | happy shopping | cheers | we look forward | i look forward | looking forward | safe travels | stay safe | take care | get well | i wish you |
we wish you | wishing you | all the best | congratulations | welcome to | welcome aboard | how lovely | see you | we can't wait | i can't wait |
we're glad | we're so glad | we are glad | we're delighted | we are delighted | does that answer | was this answer | your feedback helps |
please take a moment | one moment please | please hold | please bear with | i'm checking | i am checking | i'm looking into | i'm handing you |
i am handing you | i'll transfer you | i will transfer you | i'll forward | i will forward | i'm forwarding | if you'd like i can |
if you like i can | if you want i can | just let me know | i could also | i can also | i can however | please write back |
please get back to | please reply to | don't forget to ask | bye | goodbye | i appreciate your | we appreciate your | you've come to the right

silent: i can't check | i cannot check | i can't access | i cannot access | i can't provide | i cannot provide | i can't give | i cannot give |
i can't view | i can't look up | i can't make | i can't issue | i can't offer | i can't help | i cannot help | i can't verify | i can't confirm |
i don't see | i do not see | i can't see | i cannot see | i didn't find | i did not find | i found no | i find no | i don't know | i do not know | i'm not sure | i am not sure | i don't have | i do not have | i have no information | i have no data |
we don't have any information | we have no information | we can't say | i can't say | i cannot say

aside: i can check for you | if you tell me | i am not a lawyer | i'm not a lawyer | i am not a doctor | i'm not a doctor | i'm not a medical | i'm not a financial | generated by an ai |
generated by ai | should be verified | taken as legal advice | taken as medical advice | taken as financial advice | not be taken as | not legal advice | not medical advice | not financial advice | not investment advice | not tax advice | no legal advice |
not professional advice | not constitute legal advice | not constitute medical advice | not constitute financial advice |
not a substitute for professional | not replace professional | individual tax advice | generated automatically | automatically generated |
may contain errors | happy to help | glad to help | happy to assist | glad to assist | happy to answer | happy to support | happy to advise |
happy to explain | glad to look | happy to look | glad to support | glad to answer | best person to ask | may be able to help | might be able to help | will be able to help | able to assist | best placed to |
help you with that | help you further | look into this for you | look into it for you | ai assistant | ai language model |
any further questions | any other questions | any more questions | any additional questions | hope this helps | hope that helps | i hope that |
thank you for your patience | thank you for your understanding | drop me a line | kindly ask you to | i kindly ask | kept this short |
kept it short | kept my answer short | based solely on | based only on the | more helpful here | of more help

announcer: here is | here are | here's | below is | below are | the following is | the following are | this is | these are |
i have provided | i've provided | i have written | i will provide | i'll provide | please find | you can do it like | please follow these |
try the following | a quick recap | key points | things to know | what you need to know

advice: please | remember to | it's always best to | it's always a good idea to | it is always a good idea to | it's a good idea to | it is a good idea to | make sure to | you may want to | you might want to | you may wish to | you may also want to | you might try | you could | you should |
i recommend | i'd recommend | i would recommend | we recommend | i suggest | i'd suggest | i would suggest | we suggest | i advise | i'd advise |
i would advise | i'd encourage you | i encourage you | it would be best to | it is best to | it's best to | it would be advisable to |
it is advisable to | it might be best to | it may be helpful to | feel free to | be sure to | your best option is to | in that case please |
if in doubt | if you are unsure | if you're unsure | if you are not sure | if you're not sure | if you need more | if you need further |
if you would like more | if you'd like more | if you want to know more | for more | for further | for additional | for any further | for detailed |
for official | for up-to-date | for specific | for the latest | for precise | for personalized | for personalised | perhaps

contact: contact | contacting | consult | consulting | reach out | reaching out | ask | asking | speak | speaking | talk | talking | seek | seeking |
discuss | email | get in touch | getting in touch | check with | checking with | double-check with | confirm with | verify with | check the website | check their website |
check the city's website | check the library's website | check the carrier's website | checking the website | check the official |
check your local | visit the website | visit our website | visit the official | visit their website | follow the announcements |
follow the official | refer to the official | refer to your | search the website | searching the website | try the city's website |
write to | turn to | call customer | call the office | call our support | give us a call | check back`
