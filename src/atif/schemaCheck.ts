// @ts-nocheck
// biome-ignore-all lint: written by ajv
// biome-ignore-all format: written by ajv
/** The JSON Schema of ATIF v1.8 (schemas/atif-v1.8.schema.json), compiled by scripts/compile-atif-schema.mjs; atif-export 3.3. */
"use strict";
export const validate = validate20;
export default validate20;
const schema31 = {"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"atif-v1.8.schema.json","title":"ATIF v1.8 document","description":"One agent run as a list of steps. Objects are closed but for extra, tool definitions and arguments; an optional member may be null. Beside this schema a document keeps rules that need code: step ids count from 1, a result names a call of its own step, embedded documents have ids of their own, a reference without a path names an embedded document, and dates exist.","$ref":"#/$defs/document","$defs":{"name":{"type":"string","minLength":1},"text":{"type":["string","null"]},"number":{"type":["number","null"]},"integer":{"type":["integer","null"]},"count":{"type":["integer","null"],"minimum":0},"integers":{"type":["array","null"],"items":{"type":"integer"}},"open":{"type":["object","null"]},"document":{"type":"object","required":["schema_version","agent","steps"],"additionalProperties":false,"properties":{"schema_version":{"enum":["ATIF-v1.0","ATIF-v1.1","ATIF-v1.2","ATIF-v1.3","ATIF-v1.4","ATIF-v1.5","ATIF-v1.6","ATIF-v1.7","ATIF-v1.8"]},"session_id":{"$ref":"#/$defs/text"},"trajectory_id":{"$ref":"#/$defs/text"},"agent":{"$ref":"#/$defs/agent"},"steps":{"type":"array","minItems":1,"items":{"$ref":"#/$defs/step"}},"notes":{"$ref":"#/$defs/text"},"final_metrics":{"$ref":"#/$defs/finalMetrics"},"continued_trajectory_ref":{"$ref":"#/$defs/text"},"extra":{"$ref":"#/$defs/open"},"subagent_trajectories":{"type":["array","null"],"items":{"$ref":"#/$defs/embedded"}}}},"embedded":{"$ref":"#/$defs/document","type":"object","required":["trajectory_id"],"properties":{"trajectory_id":{"$ref":"#/$defs/name"}}},"agent":{"type":"object","required":["name","version"],"additionalProperties":false,"properties":{"name":{"$ref":"#/$defs/name"},"version":{"$ref":"#/$defs/name"},"model_name":{"$ref":"#/$defs/text"},"tool_definitions":{"type":["array","null"],"items":{"type":"object"}},"extra":{"$ref":"#/$defs/open"}}},"step":{"type":"object","required":["step_id","source","message"],"additionalProperties":false,"properties":{"step_id":{"type":"integer","minimum":1},"timestamp":{"type":["string","null"],"pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?)?$"},"source":{"enum":["system","user","agent"]},"model_name":{"$ref":"#/$defs/text"},"reasoning_effort":{"type":["string","number","null"]},"message":{"$ref":"#/$defs/content"},"reasoning_content":{"$ref":"#/$defs/text"},"tool_calls":{"type":["array","null"],"items":{"$ref":"#/$defs/toolCall"}},"observation":{"$ref":"#/$defs/observation"},"metrics":{"$ref":"#/$defs/metrics"},"is_copied_context":{"type":["boolean","null"]},"llm_call_count":{"$ref":"#/$defs/count"},"extra":{"$ref":"#/$defs/open"}},"allOf":[{"if":{"properties":{"source":{"enum":["system","user"]}}},"then":{"properties":{"model_name":{"type":"null"},"reasoning_effort":{"type":"null"},"reasoning_content":{"type":"null"},"tool_calls":{"type":"null"},"metrics":{"type":"null"}}}},{"if":{"required":["llm_call_count"],"properties":{"llm_call_count":{"const":0}}},"then":{"properties":{"reasoning_content":{"type":"null"},"metrics":{"type":"null"}}}}]},"content":{"type":["string","array"],"items":{"$ref":"#/$defs/part"}},"part":{"type":"object","required":["type"],"additionalProperties":false,"properties":{"type":{"enum":["text","image","audio"]},"text":{"$ref":"#/$defs/text"},"source":{"$ref":"#/$defs/open"}},"allOf":[{"if":{"properties":{"type":{"const":"text"}}},"then":{"required":["text"],"properties":{"text":{"type":"string"},"source":{"type":"null"}}},"else":{"required":["source"],"properties":{"text":{"type":"null"},"source":{"$ref":"#/$defs/source"}}}},{"if":{"properties":{"type":{"const":"image"}}},"then":{"properties":{"source":{"type":["object","null"],"properties":{"media_type":{"enum":["image/jpeg","image/png","image/gif","image/webp"]},"duration_sec":false}}}}},{"if":{"properties":{"type":{"const":"audio"}}},"then":{"properties":{"source":{"type":["object","null"],"properties":{"media_type":{"description":"The types and aliases of the format, in any case and with white space around them.","type":"string","pattern":"^\\s*[aA][uU][dD][iI][oO]/([wW][aA][vV]|[mM][pP][eE][gG]|[mM][pP]4|[aA][aA][cC]|[oO][gG][gG]|[fF][lL][aA][cC]|[wW][eE][bB][mM]|[aA][iI][fF][fF]|[mM][pP]3|[mM][pP][gG][aA]|[xX]-[mM][pP][eE][gG]|[xX]-[wW][aA][vV]|[wW][aA][vV][eE]|[vV][nN][dD]\\.[wW][aA][vV][eE]|[xX]-[mM]4[aA]|[mM]4[aA]|[xX]-[aA][aA][cC]|[xX]-[fF][lL][aA][cC]|[xX]-[aA][iI][fF][fF])\\s*$"}}}}}}]},"source":{"type":"object","required":["media_type","path"],"additionalProperties":false,"properties":{"media_type":{"$ref":"#/$defs/name"},"path":{"$ref":"#/$defs/name"},"duration_sec":{"type":["number","null"],"minimum":0}}},"toolCall":{"type":"object","required":["tool_call_id","function_name","arguments"],"additionalProperties":false,"properties":{"tool_call_id":{"$ref":"#/$defs/name"},"function_name":{"$ref":"#/$defs/name"},"arguments":{"type":"object"},"extra":{"$ref":"#/$defs/open"}}},"observation":{"type":["object","null"],"required":["results"],"additionalProperties":false,"properties":{"results":{"type":"array","items":{"$ref":"#/$defs/result"}}}},"result":{"type":"object","additionalProperties":false,"properties":{"source_call_id":{"$ref":"#/$defs/text"},"content":{"type":["string","array","null"],"items":{"$ref":"#/$defs/part"}},"subagent_trajectory_ref":{"type":["array","null"],"items":{"$ref":"#/$defs/reference"}},"extra":{"$ref":"#/$defs/open"}}},"reference":{"type":"object","additionalProperties":false,"properties":{"trajectory_id":{"$ref":"#/$defs/text"},"session_id":{"$ref":"#/$defs/text"},"trajectory_path":{"$ref":"#/$defs/text"},"extra":{"$ref":"#/$defs/open"}},"anyOf":[{"required":["trajectory_id"],"properties":{"trajectory_id":{"$ref":"#/$defs/name"}}},{"required":["trajectory_path"],"properties":{"trajectory_path":{"$ref":"#/$defs/name"}}}]},"metrics":{"type":["object","null"],"additionalProperties":false,"properties":{"prompt_tokens":{"$ref":"#/$defs/integer"},"completion_tokens":{"$ref":"#/$defs/integer"},"cached_tokens":{"$ref":"#/$defs/integer"},"cost_usd":{"$ref":"#/$defs/number"},"prompt_token_ids":{"$ref":"#/$defs/integers"},"completion_token_ids":{"$ref":"#/$defs/integers"},"logprobs":{"type":["array","null"],"items":{"type":"number"}},"extra":{"$ref":"#/$defs/open"}}},"finalMetrics":{"type":["object","null"],"additionalProperties":false,"properties":{"total_prompt_tokens":{"$ref":"#/$defs/integer"},"total_completion_tokens":{"$ref":"#/$defs/integer"},"total_cached_tokens":{"$ref":"#/$defs/integer"},"total_cost_usd":{"$ref":"#/$defs/number"},"total_steps":{"$ref":"#/$defs/count"},"extra":{"$ref":"#/$defs/open"}}}}};
const schema32 = {"type":"object","required":["schema_version","agent","steps"],"additionalProperties":false,"properties":{"schema_version":{"enum":["ATIF-v1.0","ATIF-v1.1","ATIF-v1.2","ATIF-v1.3","ATIF-v1.4","ATIF-v1.5","ATIF-v1.6","ATIF-v1.7","ATIF-v1.8"]},"session_id":{"$ref":"#/$defs/text"},"trajectory_id":{"$ref":"#/$defs/text"},"agent":{"$ref":"#/$defs/agent"},"steps":{"type":"array","minItems":1,"items":{"$ref":"#/$defs/step"}},"notes":{"$ref":"#/$defs/text"},"final_metrics":{"$ref":"#/$defs/finalMetrics"},"continued_trajectory_ref":{"$ref":"#/$defs/text"},"extra":{"$ref":"#/$defs/open"},"subagent_trajectories":{"type":["array","null"],"items":{"$ref":"#/$defs/embedded"}}}};
const schema33 = {"type":["string","null"]};
const schema39 = {"type":["object","null"]};
const func1 = Object.prototype.hasOwnProperty;
const schema35 = {"type":"object","required":["name","version"],"additionalProperties":false,"properties":{"name":{"$ref":"#/$defs/name"},"version":{"$ref":"#/$defs/name"},"model_name":{"$ref":"#/$defs/text"},"tool_definitions":{"type":["array","null"],"items":{"type":"object"}},"extra":{"$ref":"#/$defs/open"}}};
const schema36 = {"type":"string","minLength":1};

function validate22(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate22.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.name === undefined) && (missing0 = "name")) || ((data.version === undefined) && (missing0 = "version"))){
validate22.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((((key0 === "name") || (key0 === "version")) || (key0 === "model_name")) || (key0 === "tool_definitions")) || (key0 === "extra"))){
validate22.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.name !== undefined){
let data0 = data.name;
const _errs2 = errors;
const _errs3 = errors;
if(errors === _errs3){
if(typeof data0 === "string"){
if(data0.length < 1){
validate22.errors = [{instancePath:instancePath+"/name",schemaPath:"#/$defs/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate22.errors = [{instancePath:instancePath+"/name",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.version !== undefined){
let data1 = data.version;
const _errs5 = errors;
const _errs6 = errors;
if(errors === _errs6){
if(typeof data1 === "string"){
if(data1.length < 1){
validate22.errors = [{instancePath:instancePath+"/version",schemaPath:"#/$defs/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate22.errors = [{instancePath:instancePath+"/version",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.model_name !== undefined){
let data2 = data.model_name;
const _errs8 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate22.errors = [{instancePath:instancePath+"/model_name",schemaPath:"#/$defs/text/type",keyword:"type",params:{type: schema33.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.tool_definitions !== undefined){
let data3 = data.tool_definitions;
const _errs11 = errors;
if((!(Array.isArray(data3))) && (data3 !== null)){
validate22.errors = [{instancePath:instancePath+"/tool_definitions",schemaPath:"#/properties/tool_definitions/type",keyword:"type",params:{type: schema35.properties.tool_definitions.type},message:"must be array,null"}];
return false;
}
if(errors === _errs11){
if(Array.isArray(data3)){
var valid4 = true;
const len0 = data3.length;
for(let i0=0; i0<len0; i0++){
let data4 = data3[i0];
const _errs13 = errors;
if(!(data4 && typeof data4 == "object" && !Array.isArray(data4))){
validate22.errors = [{instancePath:instancePath+"/tool_definitions/" + i0,schemaPath:"#/properties/tool_definitions/items/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
var valid4 = _errs13 === errors;
if(!valid4){
break;
}
}
}
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.extra !== undefined){
let data5 = data.extra;
const _errs15 = errors;
if((!(data5 && typeof data5 == "object" && !Array.isArray(data5))) && (data5 !== null)){
validate22.errors = [{instancePath:instancePath+"/extra",schemaPath:"#/$defs/open/type",keyword:"type",params:{type: schema39.type},message:"must be object,null"}];
return false;
}
var valid0 = _errs15 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
else {
validate22.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate22.errors = vErrors;
return errors === 0;
}
validate22.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema40 = {"type":"object","required":["step_id","source","message"],"additionalProperties":false,"properties":{"step_id":{"type":"integer","minimum":1},"timestamp":{"type":["string","null"],"pattern":"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?)?$"},"source":{"enum":["system","user","agent"]},"model_name":{"$ref":"#/$defs/text"},"reasoning_effort":{"type":["string","number","null"]},"message":{"$ref":"#/$defs/content"},"reasoning_content":{"$ref":"#/$defs/text"},"tool_calls":{"type":["array","null"],"items":{"$ref":"#/$defs/toolCall"}},"observation":{"$ref":"#/$defs/observation"},"metrics":{"$ref":"#/$defs/metrics"},"is_copied_context":{"type":["boolean","null"]},"llm_call_count":{"$ref":"#/$defs/count"},"extra":{"$ref":"#/$defs/open"}},"allOf":[{"if":{"properties":{"source":{"enum":["system","user"]}}},"then":{"properties":{"model_name":{"type":"null"},"reasoning_effort":{"type":"null"},"reasoning_content":{"type":"null"},"tool_calls":{"type":"null"},"metrics":{"type":"null"}}}},{"if":{"required":["llm_call_count"],"properties":{"llm_call_count":{"const":0}}},"then":{"properties":{"reasoning_content":{"type":"null"},"metrics":{"type":"null"}}}}]};
const schema73 = {"type":["integer","null"],"minimum":0};
const pattern4 = new RegExp("^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?)?$", "u");
const schema42 = {"type":["string","array"],"items":{"$ref":"#/$defs/part"}};
const schema43 = {"type":"object","required":["type"],"additionalProperties":false,"properties":{"type":{"enum":["text","image","audio"]},"text":{"$ref":"#/$defs/text"},"source":{"$ref":"#/$defs/open"}},"allOf":[{"if":{"properties":{"type":{"const":"text"}}},"then":{"required":["text"],"properties":{"text":{"type":"string"},"source":{"type":"null"}}},"else":{"required":["source"],"properties":{"text":{"type":"null"},"source":{"$ref":"#/$defs/source"}}}},{"if":{"properties":{"type":{"const":"image"}}},"then":{"properties":{"source":{"type":["object","null"],"properties":{"media_type":{"enum":["image/jpeg","image/png","image/gif","image/webp"]},"duration_sec":false}}}}},{"if":{"properties":{"type":{"const":"audio"}}},"then":{"properties":{"source":{"type":["object","null"],"properties":{"media_type":{"description":"The types and aliases of the format, in any case and with white space around them.","type":"string","pattern":"^\\s*[aA][uU][dD][iI][oO]/([wW][aA][vV]|[mM][pP][eE][gG]|[mM][pP]4|[aA][aA][cC]|[oO][gG][gG]|[fF][lL][aA][cC]|[wW][eE][bB][mM]|[aA][iI][fF][fF]|[mM][pP]3|[mM][pP][gG][aA]|[xX]-[mM][pP][eE][gG]|[xX]-[wW][aA][vV]|[wW][aA][vV][eE]|[vV][nN][dD]\\.[wW][aA][vV][eE]|[xX]-[mM]4[aA]|[mM]4[aA]|[xX]-[aA][aA][cC]|[xX]-[fF][lL][aA][cC]|[xX]-[aA][iI][fF][fF])\\s*$"}}}}}}]};
const schema44 = {"type":"object","required":["media_type","path"],"additionalProperties":false,"properties":{"media_type":{"$ref":"#/$defs/name"},"path":{"$ref":"#/$defs/name"},"duration_sec":{"type":["number","null"],"minimum":0}}};

function validate27(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate27.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if(((data.media_type === undefined) && (missing0 = "media_type")) || ((data.path === undefined) && (missing0 = "path"))){
validate27.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(((key0 === "media_type") || (key0 === "path")) || (key0 === "duration_sec"))){
validate27.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.media_type !== undefined){
let data0 = data.media_type;
const _errs2 = errors;
const _errs3 = errors;
if(errors === _errs3){
if(typeof data0 === "string"){
if(data0.length < 1){
validate27.errors = [{instancePath:instancePath+"/media_type",schemaPath:"#/$defs/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate27.errors = [{instancePath:instancePath+"/media_type",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.path !== undefined){
let data1 = data.path;
const _errs5 = errors;
const _errs6 = errors;
if(errors === _errs6){
if(typeof data1 === "string"){
if(data1.length < 1){
validate27.errors = [{instancePath:instancePath+"/path",schemaPath:"#/$defs/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate27.errors = [{instancePath:instancePath+"/path",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.duration_sec !== undefined){
let data2 = data.duration_sec;
const _errs8 = errors;
if((!((typeof data2 == "number") && (isFinite(data2)))) && (data2 !== null)){
validate27.errors = [{instancePath:instancePath+"/duration_sec",schemaPath:"#/properties/duration_sec/type",keyword:"type",params:{type: schema44.properties.duration_sec.type},message:"must be number,null"}];
return false;
}
if(errors === _errs8){
if((typeof data2 == "number") && (isFinite(data2))){
if(data2 < 0 || isNaN(data2)){
validate27.errors = [{instancePath:instancePath+"/duration_sec",schemaPath:"#/properties/duration_sec/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate27.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate27.errors = vErrors;
return errors === 0;
}
validate27.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const pattern5 = new RegExp("^\\s*[aA][uU][dD][iI][oO]/([wW][aA][vV]|[mM][pP][eE][gG]|[mM][pP]4|[aA][aA][cC]|[oO][gG][gG]|[fF][lL][aA][cC]|[wW][eE][bB][mM]|[aA][iI][fF][fF]|[mM][pP]3|[mM][pP][gG][aA]|[xX]-[mM][pP][eE][gG]|[xX]-[wW][aA][vV]|[wW][aA][vV][eE]|[vV][nN][dD]\\.[wW][aA][vV][eE]|[xX]-[mM]4[aA]|[mM]4[aA]|[xX]-[aA][aA][cC]|[xX]-[fF][lL][aA][cC]|[xX]-[aA][iI][fF][fF])\\s*$", "u");

function validate26(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate26.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
const _errs1 = errors;
const _errs2 = errors;
let valid1 = true;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.type !== undefined){
if("text" !== data.type){
const err0 = {};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
let ifClause0;
if(_valid0){
const _errs5 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.text === undefined) && (missing0 = "text")){
validate26.errors = [{instancePath,schemaPath:"#/allOf/0/then/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(data.text !== undefined){
const _errs6 = errors;
if(typeof data.text !== "string"){
validate26.errors = [{instancePath:instancePath+"/text",schemaPath:"#/allOf/0/then/properties/text/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
var valid3 = _errs6 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data.source !== undefined){
const _errs8 = errors;
if(data.source !== null){
validate26.errors = [{instancePath:instancePath+"/source",schemaPath:"#/allOf/0/then/properties/source/type",keyword:"type",params:{type: "null"},message:"must be null"}];
return false;
}
var valid3 = _errs8 === errors;
}
else {
var valid3 = true;
}
}
}
}
var _valid0 = _errs5 === errors;
valid1 = _valid0;
if(valid1){
var props0 = {};
props0.text = true;
props0.source = true;
props0.type = true;
}
ifClause0 = "then";
}
else {
const _errs10 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
let missing1;
if((data.source === undefined) && (missing1 = "source")){
validate26.errors = [{instancePath,schemaPath:"#/allOf/0/else/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
if(data.text !== undefined){
const _errs11 = errors;
if(data.text !== null){
validate26.errors = [{instancePath:instancePath+"/text",schemaPath:"#/allOf/0/else/properties/text/type",keyword:"type",params:{type: "null"},message:"must be null"}];
return false;
}
var valid4 = _errs11 === errors;
}
else {
var valid4 = true;
}
if(valid4){
if(data.source !== undefined){
const _errs13 = errors;
if(!(validate27(data.source, {instancePath:instancePath+"/source",parentData:data,parentDataProperty:"source",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate27.errors : vErrors.concat(validate27.errors);
errors = vErrors.length;
}
var valid4 = _errs13 === errors;
}
else {
var valid4 = true;
}
}
}
}
var _valid0 = _errs10 === errors;
valid1 = _valid0;
if(valid1){
if(props0 !== true){
props0 = props0 || {};
props0.text = true;
props0.source = true;
}
}
ifClause0 = "else";
}
if(!valid1){
const err1 = {instancePath,schemaPath:"#/allOf/0/if",keyword:"if",params:{failingKeyword: ifClause0},message:"must match \""+ifClause0+"\" schema"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate26.errors = vErrors;
return false;
}
var valid0 = _errs1 === errors;
if(valid0){
const _errs14 = errors;
const _errs15 = errors;
let valid5 = true;
const _errs16 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.type !== undefined){
if("image" !== data.type){
const err2 = {};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
}
var _valid1 = _errs16 === errors;
errors = _errs15;
if(vErrors !== null){
if(_errs15){
vErrors.length = _errs15;
}
else {
vErrors = null;
}
}
if(_valid1){
const _errs18 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.source !== undefined){
let data6 = data.source;
const _errs19 = errors;
if((!(data6 && typeof data6 == "object" && !Array.isArray(data6))) && (data6 !== null)){
validate26.errors = [{instancePath:instancePath+"/source",schemaPath:"#/allOf/1/then/properties/source/type",keyword:"type",params:{type: schema43.allOf[1].then.properties.source.type},message:"must be object,null"}];
return false;
}
if(errors === _errs19){
if(data6 && typeof data6 == "object" && !Array.isArray(data6)){
if(data6.media_type !== undefined){
let data7 = data6.media_type;
const _errs21 = errors;
if(!((((data7 === "image/jpeg") || (data7 === "image/png")) || (data7 === "image/gif")) || (data7 === "image/webp"))){
validate26.errors = [{instancePath:instancePath+"/source/media_type",schemaPath:"#/allOf/1/then/properties/source/properties/media_type/enum",keyword:"enum",params:{allowedValues: schema43.allOf[1].then.properties.source.properties.media_type.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid8 = _errs21 === errors;
}
else {
var valid8 = true;
}
if(valid8){
if(data6.duration_sec !== undefined){
var valid8 = false;
validate26.errors = [{instancePath:instancePath+"/source/duration_sec",schemaPath:"#/allOf/1/then/properties/source/properties/duration_sec/false schema",keyword:"false schema",params:{},message:"boolean schema is false"}];
return false;
}
else {
var valid8 = true;
}
}
}
}
}
}
var _valid1 = _errs18 === errors;
valid5 = _valid1;
if(valid5){
var props1 = {};
props1.source = true;
props1.type = true;
}
}
if(!valid5){
const err3 = {instancePath,schemaPath:"#/allOf/1/if",keyword:"if",params:{failingKeyword: "then"},message:"must match \"then\" schema"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
validate26.errors = vErrors;
return false;
}
var valid0 = _errs14 === errors;
if(valid0){
if(props0 !== true && props1 !== undefined){
if(props1 === true){
props0 = true;
}
else {
props0 = props0 || {};
Object.assign(props0, props1);
}
}
const _errs22 = errors;
const _errs23 = errors;
let valid9 = true;
const _errs24 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.type !== undefined){
if("audio" !== data.type){
const err4 = {};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
}
var _valid2 = _errs24 === errors;
errors = _errs23;
if(vErrors !== null){
if(_errs23){
vErrors.length = _errs23;
}
else {
vErrors = null;
}
}
if(_valid2){
const _errs26 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.source !== undefined){
let data10 = data.source;
const _errs27 = errors;
if((!(data10 && typeof data10 == "object" && !Array.isArray(data10))) && (data10 !== null)){
validate26.errors = [{instancePath:instancePath+"/source",schemaPath:"#/allOf/2/then/properties/source/type",keyword:"type",params:{type: schema43.allOf[2].then.properties.source.type},message:"must be object,null"}];
return false;
}
if(errors === _errs27){
if(data10 && typeof data10 == "object" && !Array.isArray(data10)){
if(data10.media_type !== undefined){
let data11 = data10.media_type;
const _errs29 = errors;
if(errors === _errs29){
if(typeof data11 === "string"){
if(!pattern5.test(data11)){
validate26.errors = [{instancePath:instancePath+"/source/media_type",schemaPath:"#/allOf/2/then/properties/source/properties/media_type/pattern",keyword:"pattern",params:{pattern: "^\\s*[aA][uU][dD][iI][oO]/([wW][aA][vV]|[mM][pP][eE][gG]|[mM][pP]4|[aA][aA][cC]|[oO][gG][gG]|[fF][lL][aA][cC]|[wW][eE][bB][mM]|[aA][iI][fF][fF]|[mM][pP]3|[mM][pP][gG][aA]|[xX]-[mM][pP][eE][gG]|[xX]-[wW][aA][vV]|[wW][aA][vV][eE]|[vV][nN][dD]\\.[wW][aA][vV][eE]|[xX]-[mM]4[aA]|[mM]4[aA]|[xX]-[aA][aA][cC]|[xX]-[fF][lL][aA][cC]|[xX]-[aA][iI][fF][fF])\\s*$"},message:"must match pattern \""+"^\\s*[aA][uU][dD][iI][oO]/([wW][aA][vV]|[mM][pP][eE][gG]|[mM][pP]4|[aA][aA][cC]|[oO][gG][gG]|[fF][lL][aA][cC]|[wW][eE][bB][mM]|[aA][iI][fF][fF]|[mM][pP]3|[mM][pP][gG][aA]|[xX]-[mM][pP][eE][gG]|[xX]-[wW][aA][vV]|[wW][aA][vV][eE]|[vV][nN][dD]\\.[wW][aA][vV][eE]|[xX]-[mM]4[aA]|[mM]4[aA]|[xX]-[aA][aA][cC]|[xX]-[fF][lL][aA][cC]|[xX]-[aA][iI][fF][fF])\\s*$"+"\""}];
return false;
}
}
else {
validate26.errors = [{instancePath:instancePath+"/source/media_type",schemaPath:"#/allOf/2/then/properties/source/properties/media_type/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
}
}
}
}
}
var _valid2 = _errs26 === errors;
valid9 = _valid2;
if(valid9){
var props2 = {};
props2.source = true;
props2.type = true;
}
}
if(!valid9){
const err5 = {instancePath,schemaPath:"#/allOf/2/if",keyword:"if",params:{failingKeyword: "then"},message:"must match \"then\" schema"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
validate26.errors = vErrors;
return false;
}
var valid0 = _errs22 === errors;
if(valid0){
if(props0 !== true && props2 !== undefined){
if(props2 === true){
props0 = true;
}
else {
props0 = props0 || {};
Object.assign(props0, props2);
}
}
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing2;
if((data.type === undefined) && (missing2 = "type")){
validate26.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing2},message:"must have required property '"+missing2+"'"}];
return false;
}
else {
const _errs31 = errors;
for(const key0 in data){
if(!(((key0 === "type") || (key0 === "text")) || (key0 === "source"))){
validate26.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs31 === errors){
if(data.type !== undefined){
let data12 = data.type;
const _errs32 = errors;
if(!(((data12 === "text") || (data12 === "image")) || (data12 === "audio"))){
validate26.errors = [{instancePath:instancePath+"/type",schemaPath:"#/properties/type/enum",keyword:"enum",params:{allowedValues: schema43.properties.type.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid13 = _errs32 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data.text !== undefined){
let data13 = data.text;
const _errs33 = errors;
if((typeof data13 !== "string") && (data13 !== null)){
validate26.errors = [{instancePath:instancePath+"/text",schemaPath:"#/$defs/text/type",keyword:"type",params:{type: schema33.type},message:"must be string,null"}];
return false;
}
var valid13 = _errs33 === errors;
}
else {
var valid13 = true;
}
if(valid13){
if(data.source !== undefined){
let data14 = data.source;
const _errs36 = errors;
if((!(data14 && typeof data14 == "object" && !Array.isArray(data14))) && (data14 !== null)){
validate26.errors = [{instancePath:instancePath+"/source",schemaPath:"#/$defs/open/type",keyword:"type",params:{type: schema39.type},message:"must be object,null"}];
return false;
}
var valid13 = _errs36 === errors;
}
else {
var valid13 = true;
}
}
}
}
}
}
else {
validate26.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate26.errors = vErrors;
return errors === 0;
}
validate26.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate25(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate25.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if((typeof data !== "string") && (!(Array.isArray(data)))){
validate25.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema42.type},message:"must be string,array"}];
return false;
}
if(errors === 0){
if(Array.isArray(data)){
var valid0 = true;
const len0 = data.length;
for(let i0=0; i0<len0; i0++){
const _errs1 = errors;
if(!(validate26(data[i0], {instancePath:instancePath+"/" + i0,parentData:data,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate26.errors : vErrors.concat(validate26.errors);
errors = vErrors.length;
}
var valid0 = _errs1 === errors;
if(!valid0){
break;
}
}
}
}
validate25.errors = vErrors;
return errors === 0;
}
validate25.evaluated = {"items":true,"dynamicProps":false,"dynamicItems":false};

const schema50 = {"type":"object","required":["tool_call_id","function_name","arguments"],"additionalProperties":false,"properties":{"tool_call_id":{"$ref":"#/$defs/name"},"function_name":{"$ref":"#/$defs/name"},"arguments":{"type":"object"},"extra":{"$ref":"#/$defs/open"}}};

function validate31(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate31.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.tool_call_id === undefined) && (missing0 = "tool_call_id")) || ((data.function_name === undefined) && (missing0 = "function_name"))) || ((data.arguments === undefined) && (missing0 = "arguments"))){
validate31.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "tool_call_id") || (key0 === "function_name")) || (key0 === "arguments")) || (key0 === "extra"))){
validate31.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.tool_call_id !== undefined){
let data0 = data.tool_call_id;
const _errs2 = errors;
const _errs3 = errors;
if(errors === _errs3){
if(typeof data0 === "string"){
if(data0.length < 1){
validate31.errors = [{instancePath:instancePath+"/tool_call_id",schemaPath:"#/$defs/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate31.errors = [{instancePath:instancePath+"/tool_call_id",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.function_name !== undefined){
let data1 = data.function_name;
const _errs5 = errors;
const _errs6 = errors;
if(errors === _errs6){
if(typeof data1 === "string"){
if(data1.length < 1){
validate31.errors = [{instancePath:instancePath+"/function_name",schemaPath:"#/$defs/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate31.errors = [{instancePath:instancePath+"/function_name",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.arguments !== undefined){
let data2 = data.arguments;
const _errs8 = errors;
if(!(data2 && typeof data2 == "object" && !Array.isArray(data2))){
validate31.errors = [{instancePath:instancePath+"/arguments",schemaPath:"#/properties/arguments/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.extra !== undefined){
let data3 = data.extra;
const _errs10 = errors;
if((!(data3 && typeof data3 == "object" && !Array.isArray(data3))) && (data3 !== null)){
validate31.errors = [{instancePath:instancePath+"/extra",schemaPath:"#/$defs/open/type",keyword:"type",params:{type: schema39.type},message:"must be object,null"}];
return false;
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
else {
validate31.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate31.errors = vErrors;
return errors === 0;
}
validate31.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema54 = {"type":["object","null"],"required":["results"],"additionalProperties":false,"properties":{"results":{"type":"array","items":{"$ref":"#/$defs/result"}}}};
const schema55 = {"type":"object","additionalProperties":false,"properties":{"source_call_id":{"$ref":"#/$defs/text"},"content":{"type":["string","array","null"],"items":{"$ref":"#/$defs/part"}},"subagent_trajectory_ref":{"type":["array","null"],"items":{"$ref":"#/$defs/reference"}},"extra":{"$ref":"#/$defs/open"}}};
const schema57 = {"type":"object","additionalProperties":false,"properties":{"trajectory_id":{"$ref":"#/$defs/text"},"session_id":{"$ref":"#/$defs/text"},"trajectory_path":{"$ref":"#/$defs/text"},"extra":{"$ref":"#/$defs/open"}},"anyOf":[{"required":["trajectory_id"],"properties":{"trajectory_id":{"$ref":"#/$defs/name"}}},{"required":["trajectory_path"],"properties":{"trajectory_path":{"$ref":"#/$defs/name"}}}]};

function validate36(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate36.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
const _errs1 = errors;
let valid0 = false;
const _errs2 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.trajectory_id === undefined) && (missing0 = "trajectory_id")){
const err0 = {instancePath,schemaPath:"#/anyOf/0/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
else {
if(data.trajectory_id !== undefined){
let data0 = data.trajectory_id;
const _errs4 = errors;
if(errors === _errs4){
if(typeof data0 === "string"){
if(data0.length < 1){
const err1 = {instancePath:instancePath+"/trajectory_id",schemaPath:"#/$defs/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
}
}
else {
const err2 = {instancePath:instancePath+"/trajectory_id",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
}
}
}
}
var _valid0 = _errs2 === errors;
valid0 = valid0 || _valid0;
if(_valid0){
var props0 = {};
props0.trajectory_id = true;
}
const _errs6 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
let missing1;
if((data.trajectory_path === undefined) && (missing1 = "trajectory_path")){
const err3 = {instancePath,schemaPath:"#/anyOf/1/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
else {
if(data.trajectory_path !== undefined){
let data1 = data.trajectory_path;
const _errs8 = errors;
if(errors === _errs8){
if(typeof data1 === "string"){
if(data1.length < 1){
const err4 = {instancePath:instancePath+"/trajectory_path",schemaPath:"#/$defs/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
}
}
else {
const err5 = {instancePath:instancePath+"/trajectory_path",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},message:"must be string"};
if(vErrors === null){
vErrors = [err5];
}
else {
vErrors.push(err5);
}
errors++;
}
}
}
}
}
var _valid0 = _errs6 === errors;
valid0 = valid0 || _valid0;
if(_valid0){
if(props0 !== true){
props0 = props0 || {};
props0.trajectory_path = true;
}
}
if(!valid0){
const err6 = {instancePath,schemaPath:"#/anyOf",keyword:"anyOf",params:{},message:"must match a schema in anyOf"};
if(vErrors === null){
vErrors = [err6];
}
else {
vErrors.push(err6);
}
errors++;
validate36.errors = vErrors;
return false;
}
else {
errors = _errs1;
if(vErrors !== null){
if(_errs1){
vErrors.length = _errs1;
}
else {
vErrors = null;
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs10 = errors;
for(const key0 in data){
if(!((((key0 === "trajectory_id") || (key0 === "session_id")) || (key0 === "trajectory_path")) || (key0 === "extra"))){
validate36.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs10 === errors){
if(data.trajectory_id !== undefined){
let data2 = data.trajectory_id;
const _errs11 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate36.errors = [{instancePath:instancePath+"/trajectory_id",schemaPath:"#/$defs/text/type",keyword:"type",params:{type: schema33.type},message:"must be string,null"}];
return false;
}
var valid5 = _errs11 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.session_id !== undefined){
let data3 = data.session_id;
const _errs14 = errors;
if((typeof data3 !== "string") && (data3 !== null)){
validate36.errors = [{instancePath:instancePath+"/session_id",schemaPath:"#/$defs/text/type",keyword:"type",params:{type: schema33.type},message:"must be string,null"}];
return false;
}
var valid5 = _errs14 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.trajectory_path !== undefined){
let data4 = data.trajectory_path;
const _errs17 = errors;
if((typeof data4 !== "string") && (data4 !== null)){
validate36.errors = [{instancePath:instancePath+"/trajectory_path",schemaPath:"#/$defs/text/type",keyword:"type",params:{type: schema33.type},message:"must be string,null"}];
return false;
}
var valid5 = _errs17 === errors;
}
else {
var valid5 = true;
}
if(valid5){
if(data.extra !== undefined){
let data5 = data.extra;
const _errs20 = errors;
if((!(data5 && typeof data5 == "object" && !Array.isArray(data5))) && (data5 !== null)){
validate36.errors = [{instancePath:instancePath+"/extra",schemaPath:"#/$defs/open/type",keyword:"type",params:{type: schema39.type},message:"must be object,null"}];
return false;
}
var valid5 = _errs20 === errors;
}
else {
var valid5 = true;
}
}
}
}
}
}
else {
validate36.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate36.errors = vErrors;
return errors === 0;
}
validate36.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate34(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate34.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((key0 === "source_call_id") || (key0 === "content")) || (key0 === "subagent_trajectory_ref")) || (key0 === "extra"))){
validate34.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.source_call_id !== undefined){
let data0 = data.source_call_id;
const _errs2 = errors;
if((typeof data0 !== "string") && (data0 !== null)){
validate34.errors = [{instancePath:instancePath+"/source_call_id",schemaPath:"#/$defs/text/type",keyword:"type",params:{type: schema33.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.content !== undefined){
let data1 = data.content;
const _errs5 = errors;
if(((typeof data1 !== "string") && (!(Array.isArray(data1)))) && (data1 !== null)){
validate34.errors = [{instancePath:instancePath+"/content",schemaPath:"#/properties/content/type",keyword:"type",params:{type: schema55.properties.content.type},message:"must be string,array,null"}];
return false;
}
if(errors === _errs5){
if(Array.isArray(data1)){
var valid2 = true;
const len0 = data1.length;
for(let i0=0; i0<len0; i0++){
const _errs7 = errors;
if(!(validate26(data1[i0], {instancePath:instancePath+"/content/" + i0,parentData:data1,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate26.errors : vErrors.concat(validate26.errors);
errors = vErrors.length;
}
var valid2 = _errs7 === errors;
if(!valid2){
break;
}
}
}
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.subagent_trajectory_ref !== undefined){
let data3 = data.subagent_trajectory_ref;
const _errs8 = errors;
if((!(Array.isArray(data3))) && (data3 !== null)){
validate34.errors = [{instancePath:instancePath+"/subagent_trajectory_ref",schemaPath:"#/properties/subagent_trajectory_ref/type",keyword:"type",params:{type: schema55.properties.subagent_trajectory_ref.type},message:"must be array,null"}];
return false;
}
if(errors === _errs8){
if(Array.isArray(data3)){
var valid3 = true;
const len1 = data3.length;
for(let i1=0; i1<len1; i1++){
const _errs10 = errors;
if(!(validate36(data3[i1], {instancePath:instancePath+"/subagent_trajectory_ref/" + i1,parentData:data3,parentDataProperty:i1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate36.errors : vErrors.concat(validate36.errors);
errors = vErrors.length;
}
var valid3 = _errs10 === errors;
if(!valid3){
break;
}
}
}
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.extra !== undefined){
let data5 = data.extra;
const _errs11 = errors;
if((!(data5 && typeof data5 == "object" && !Array.isArray(data5))) && (data5 !== null)){
validate34.errors = [{instancePath:instancePath+"/extra",schemaPath:"#/$defs/open/type",keyword:"type",params:{type: schema39.type},message:"must be object,null"}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
else {
validate34.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate34.errors = vErrors;
return errors === 0;
}
validate34.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate33(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate33.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if((!(data && typeof data == "object" && !Array.isArray(data))) && (data !== null)){
validate33.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema54.type},message:"must be object,null"}];
return false;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.results === undefined) && (missing0 = "results")){
validate33.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(key0 === "results")){
validate33.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.results !== undefined){
let data0 = data.results;
const _errs2 = errors;
if(errors === _errs2){
if(Array.isArray(data0)){
var valid1 = true;
const len0 = data0.length;
for(let i0=0; i0<len0; i0++){
const _errs4 = errors;
if(!(validate34(data0[i0], {instancePath:instancePath+"/results/" + i0,parentData:data0,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate34.errors : vErrors.concat(validate34.errors);
errors = vErrors.length;
}
var valid1 = _errs4 === errors;
if(!valid1){
break;
}
}
}
else {
validate33.errors = [{instancePath:instancePath+"/results",schemaPath:"#/properties/results/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
}
}
}
}
}
validate33.errors = vErrors;
return errors === 0;
}
validate33.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema65 = {"type":["object","null"],"additionalProperties":false,"properties":{"prompt_tokens":{"$ref":"#/$defs/integer"},"completion_tokens":{"$ref":"#/$defs/integer"},"cached_tokens":{"$ref":"#/$defs/integer"},"cost_usd":{"$ref":"#/$defs/number"},"prompt_token_ids":{"$ref":"#/$defs/integers"},"completion_token_ids":{"$ref":"#/$defs/integers"},"logprobs":{"type":["array","null"],"items":{"type":"number"}},"extra":{"$ref":"#/$defs/open"}}};
const schema66 = {"type":["integer","null"]};
const schema69 = {"type":["number","null"]};
const schema70 = {"type":["array","null"],"items":{"type":"integer"}};

function validate40(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate40.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if((!(data && typeof data == "object" && !Array.isArray(data))) && (data !== null)){
validate40.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema65.type},message:"must be object,null"}];
return false;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((((((key0 === "prompt_tokens") || (key0 === "completion_tokens")) || (key0 === "cached_tokens")) || (key0 === "cost_usd")) || (key0 === "prompt_token_ids")) || (key0 === "completion_token_ids")) || (key0 === "logprobs")) || (key0 === "extra"))){
validate40.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.prompt_tokens !== undefined){
let data0 = data.prompt_tokens;
const _errs2 = errors;
if((!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))) && (data0 !== null)){
validate40.errors = [{instancePath:instancePath+"/prompt_tokens",schemaPath:"#/$defs/integer/type",keyword:"type",params:{type: schema66.type},message:"must be integer,null"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.completion_tokens !== undefined){
let data1 = data.completion_tokens;
const _errs5 = errors;
if((!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))) && (data1 !== null)){
validate40.errors = [{instancePath:instancePath+"/completion_tokens",schemaPath:"#/$defs/integer/type",keyword:"type",params:{type: schema66.type},message:"must be integer,null"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cached_tokens !== undefined){
let data2 = data.cached_tokens;
const _errs8 = errors;
if((!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))) && (data2 !== null)){
validate40.errors = [{instancePath:instancePath+"/cached_tokens",schemaPath:"#/$defs/integer/type",keyword:"type",params:{type: schema66.type},message:"must be integer,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.cost_usd !== undefined){
let data3 = data.cost_usd;
const _errs11 = errors;
if((!((typeof data3 == "number") && (isFinite(data3)))) && (data3 !== null)){
validate40.errors = [{instancePath:instancePath+"/cost_usd",schemaPath:"#/$defs/number/type",keyword:"type",params:{type: schema69.type},message:"must be number,null"}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.prompt_token_ids !== undefined){
let data4 = data.prompt_token_ids;
const _errs14 = errors;
const _errs15 = errors;
if((!(Array.isArray(data4))) && (data4 !== null)){
validate40.errors = [{instancePath:instancePath+"/prompt_token_ids",schemaPath:"#/$defs/integers/type",keyword:"type",params:{type: schema70.type},message:"must be array,null"}];
return false;
}
if(errors === _errs15){
if(Array.isArray(data4)){
var valid6 = true;
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
let data5 = data4[i0];
const _errs17 = errors;
if(!(((typeof data5 == "number") && (!(data5 % 1) && !isNaN(data5))) && (isFinite(data5)))){
validate40.errors = [{instancePath:instancePath+"/prompt_token_ids/" + i0,schemaPath:"#/$defs/integers/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
var valid6 = _errs17 === errors;
if(!valid6){
break;
}
}
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.completion_token_ids !== undefined){
let data6 = data.completion_token_ids;
const _errs19 = errors;
const _errs20 = errors;
if((!(Array.isArray(data6))) && (data6 !== null)){
validate40.errors = [{instancePath:instancePath+"/completion_token_ids",schemaPath:"#/$defs/integers/type",keyword:"type",params:{type: schema70.type},message:"must be array,null"}];
return false;
}
if(errors === _errs20){
if(Array.isArray(data6)){
var valid8 = true;
const len1 = data6.length;
for(let i1=0; i1<len1; i1++){
let data7 = data6[i1];
const _errs22 = errors;
if(!(((typeof data7 == "number") && (!(data7 % 1) && !isNaN(data7))) && (isFinite(data7)))){
validate40.errors = [{instancePath:instancePath+"/completion_token_ids/" + i1,schemaPath:"#/$defs/integers/items/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
var valid8 = _errs22 === errors;
if(!valid8){
break;
}
}
}
}
var valid0 = _errs19 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.logprobs !== undefined){
let data8 = data.logprobs;
const _errs24 = errors;
if((!(Array.isArray(data8))) && (data8 !== null)){
validate40.errors = [{instancePath:instancePath+"/logprobs",schemaPath:"#/properties/logprobs/type",keyword:"type",params:{type: schema65.properties.logprobs.type},message:"must be array,null"}];
return false;
}
if(errors === _errs24){
if(Array.isArray(data8)){
var valid9 = true;
const len2 = data8.length;
for(let i2=0; i2<len2; i2++){
let data9 = data8[i2];
const _errs26 = errors;
if(!((typeof data9 == "number") && (isFinite(data9)))){
validate40.errors = [{instancePath:instancePath+"/logprobs/" + i2,schemaPath:"#/properties/logprobs/items/type",keyword:"type",params:{type: "number"},message:"must be number"}];
return false;
}
var valid9 = _errs26 === errors;
if(!valid9){
break;
}
}
}
}
var valid0 = _errs24 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.extra !== undefined){
let data10 = data.extra;
const _errs28 = errors;
if((!(data10 && typeof data10 == "object" && !Array.isArray(data10))) && (data10 !== null)){
validate40.errors = [{instancePath:instancePath+"/extra",schemaPath:"#/$defs/open/type",keyword:"type",params:{type: schema39.type},message:"must be object,null"}];
return false;
}
var valid0 = _errs28 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
validate40.errors = vErrors;
return errors === 0;
}
validate40.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate24(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate24.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
const _errs1 = errors;
const _errs2 = errors;
let valid1 = true;
const _errs3 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.source !== undefined){
let data0 = data.source;
if(!((data0 === "system") || (data0 === "user"))){
const err0 = {};
if(vErrors === null){
vErrors = [err0];
}
else {
vErrors.push(err0);
}
errors++;
}
}
}
var _valid0 = _errs3 === errors;
errors = _errs2;
if(vErrors !== null){
if(_errs2){
vErrors.length = _errs2;
}
else {
vErrors = null;
}
}
if(_valid0){
const _errs5 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.model_name !== undefined){
const _errs6 = errors;
if(data.model_name !== null){
validate24.errors = [{instancePath:instancePath+"/model_name",schemaPath:"#/allOf/0/then/properties/model_name/type",keyword:"type",params:{type: "null"},message:"must be null"}];
return false;
}
var valid3 = _errs6 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data.reasoning_effort !== undefined){
const _errs8 = errors;
if(data.reasoning_effort !== null){
validate24.errors = [{instancePath:instancePath+"/reasoning_effort",schemaPath:"#/allOf/0/then/properties/reasoning_effort/type",keyword:"type",params:{type: "null"},message:"must be null"}];
return false;
}
var valid3 = _errs8 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data.reasoning_content !== undefined){
const _errs10 = errors;
if(data.reasoning_content !== null){
validate24.errors = [{instancePath:instancePath+"/reasoning_content",schemaPath:"#/allOf/0/then/properties/reasoning_content/type",keyword:"type",params:{type: "null"},message:"must be null"}];
return false;
}
var valid3 = _errs10 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data.tool_calls !== undefined){
const _errs12 = errors;
if(data.tool_calls !== null){
validate24.errors = [{instancePath:instancePath+"/tool_calls",schemaPath:"#/allOf/0/then/properties/tool_calls/type",keyword:"type",params:{type: "null"},message:"must be null"}];
return false;
}
var valid3 = _errs12 === errors;
}
else {
var valid3 = true;
}
if(valid3){
if(data.metrics !== undefined){
const _errs14 = errors;
if(data.metrics !== null){
validate24.errors = [{instancePath:instancePath+"/metrics",schemaPath:"#/allOf/0/then/properties/metrics/type",keyword:"type",params:{type: "null"},message:"must be null"}];
return false;
}
var valid3 = _errs14 === errors;
}
else {
var valid3 = true;
}
}
}
}
}
}
var _valid0 = _errs5 === errors;
valid1 = _valid0;
if(valid1){
var props0 = {};
props0.model_name = true;
props0.reasoning_effort = true;
props0.reasoning_content = true;
props0.tool_calls = true;
props0.metrics = true;
props0.source = true;
}
}
if(!valid1){
const err1 = {instancePath,schemaPath:"#/allOf/0/if",keyword:"if",params:{failingKeyword: "then"},message:"must match \"then\" schema"};
if(vErrors === null){
vErrors = [err1];
}
else {
vErrors.push(err1);
}
errors++;
validate24.errors = vErrors;
return false;
}
var valid0 = _errs1 === errors;
if(valid0){
const _errs16 = errors;
const _errs17 = errors;
let valid4 = true;
const _errs18 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.llm_call_count === undefined) && (missing0 = "llm_call_count")){
const err2 = {};
if(vErrors === null){
vErrors = [err2];
}
else {
vErrors.push(err2);
}
errors++;
}
else {
if(data.llm_call_count !== undefined){
if(0 !== data.llm_call_count){
const err3 = {};
if(vErrors === null){
vErrors = [err3];
}
else {
vErrors.push(err3);
}
errors++;
}
}
}
}
var _valid1 = _errs18 === errors;
errors = _errs17;
if(vErrors !== null){
if(_errs17){
vErrors.length = _errs17;
}
else {
vErrors = null;
}
}
if(_valid1){
const _errs20 = errors;
if(data && typeof data == "object" && !Array.isArray(data)){
if(data.reasoning_content !== undefined){
const _errs21 = errors;
if(data.reasoning_content !== null){
validate24.errors = [{instancePath:instancePath+"/reasoning_content",schemaPath:"#/allOf/1/then/properties/reasoning_content/type",keyword:"type",params:{type: "null"},message:"must be null"}];
return false;
}
var valid6 = _errs21 === errors;
}
else {
var valid6 = true;
}
if(valid6){
if(data.metrics !== undefined){
const _errs23 = errors;
if(data.metrics !== null){
validate24.errors = [{instancePath:instancePath+"/metrics",schemaPath:"#/allOf/1/then/properties/metrics/type",keyword:"type",params:{type: "null"},message:"must be null"}];
return false;
}
var valid6 = _errs23 === errors;
}
else {
var valid6 = true;
}
}
}
var _valid1 = _errs20 === errors;
valid4 = _valid1;
if(valid4){
var props1 = {};
props1.reasoning_content = true;
props1.metrics = true;
props1.llm_call_count = true;
}
}
if(!valid4){
const err4 = {instancePath,schemaPath:"#/allOf/1/if",keyword:"if",params:{failingKeyword: "then"},message:"must match \"then\" schema"};
if(vErrors === null){
vErrors = [err4];
}
else {
vErrors.push(err4);
}
errors++;
validate24.errors = vErrors;
return false;
}
var valid0 = _errs16 === errors;
if(valid0){
if(props0 !== true && props1 !== undefined){
if(props1 === true){
props0 = true;
}
else {
props0 = props0 || {};
Object.assign(props0, props1);
}
}
}
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing1;
if((((data.step_id === undefined) && (missing1 = "step_id")) || ((data.source === undefined) && (missing1 = "source"))) || ((data.message === undefined) && (missing1 = "message"))){
validate24.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing1},message:"must have required property '"+missing1+"'"}];
return false;
}
else {
const _errs25 = errors;
for(const key0 in data){
if(!(func1.call(schema40.properties, key0))){
validate24.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs25 === errors){
if(data.step_id !== undefined){
let data9 = data.step_id;
const _errs26 = errors;
if(!(((typeof data9 == "number") && (!(data9 % 1) && !isNaN(data9))) && (isFinite(data9)))){
validate24.errors = [{instancePath:instancePath+"/step_id",schemaPath:"#/properties/step_id/type",keyword:"type",params:{type: "integer"},message:"must be integer"}];
return false;
}
if(errors === _errs26){
if((typeof data9 == "number") && (isFinite(data9))){
if(data9 < 1 || isNaN(data9)){
validate24.errors = [{instancePath:instancePath+"/step_id",schemaPath:"#/properties/step_id/minimum",keyword:"minimum",params:{comparison: ">=", limit: 1},message:"must be >= 1"}];
return false;
}
}
}
var valid7 = _errs26 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.timestamp !== undefined){
let data10 = data.timestamp;
const _errs28 = errors;
if((typeof data10 !== "string") && (data10 !== null)){
validate24.errors = [{instancePath:instancePath+"/timestamp",schemaPath:"#/properties/timestamp/type",keyword:"type",params:{type: schema40.properties.timestamp.type},message:"must be string,null"}];
return false;
}
if(errors === _errs28){
if(typeof data10 === "string"){
if(!pattern4.test(data10)){
validate24.errors = [{instancePath:instancePath+"/timestamp",schemaPath:"#/properties/timestamp/pattern",keyword:"pattern",params:{pattern: "^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?)?$"},message:"must match pattern \""+"^[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]{1,9})?(Z|[+-][0-9]{2}:[0-9]{2})?)?$"+"\""}];
return false;
}
}
}
var valid7 = _errs28 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.source !== undefined){
let data11 = data.source;
const _errs30 = errors;
if(!(((data11 === "system") || (data11 === "user")) || (data11 === "agent"))){
validate24.errors = [{instancePath:instancePath+"/source",schemaPath:"#/properties/source/enum",keyword:"enum",params:{allowedValues: schema40.properties.source.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid7 = _errs30 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.model_name !== undefined){
let data12 = data.model_name;
const _errs31 = errors;
if((typeof data12 !== "string") && (data12 !== null)){
validate24.errors = [{instancePath:instancePath+"/model_name",schemaPath:"#/$defs/text/type",keyword:"type",params:{type: schema33.type},message:"must be string,null"}];
return false;
}
var valid7 = _errs31 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.reasoning_effort !== undefined){
let data13 = data.reasoning_effort;
const _errs34 = errors;
if(((typeof data13 !== "string") && (!((typeof data13 == "number") && (isFinite(data13))))) && (data13 !== null)){
validate24.errors = [{instancePath:instancePath+"/reasoning_effort",schemaPath:"#/properties/reasoning_effort/type",keyword:"type",params:{type: schema40.properties.reasoning_effort.type},message:"must be string,number,null"}];
return false;
}
var valid7 = _errs34 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.message !== undefined){
const _errs36 = errors;
if(!(validate25(data.message, {instancePath:instancePath+"/message",parentData:data,parentDataProperty:"message",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate25.errors : vErrors.concat(validate25.errors);
errors = vErrors.length;
}
var valid7 = _errs36 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.reasoning_content !== undefined){
let data15 = data.reasoning_content;
const _errs37 = errors;
if((typeof data15 !== "string") && (data15 !== null)){
validate24.errors = [{instancePath:instancePath+"/reasoning_content",schemaPath:"#/$defs/text/type",keyword:"type",params:{type: schema33.type},message:"must be string,null"}];
return false;
}
var valid7 = _errs37 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.tool_calls !== undefined){
let data16 = data.tool_calls;
const _errs40 = errors;
if((!(Array.isArray(data16))) && (data16 !== null)){
validate24.errors = [{instancePath:instancePath+"/tool_calls",schemaPath:"#/properties/tool_calls/type",keyword:"type",params:{type: schema40.properties.tool_calls.type},message:"must be array,null"}];
return false;
}
if(errors === _errs40){
if(Array.isArray(data16)){
var valid10 = true;
const len0 = data16.length;
for(let i0=0; i0<len0; i0++){
const _errs42 = errors;
if(!(validate31(data16[i0], {instancePath:instancePath+"/tool_calls/" + i0,parentData:data16,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate31.errors : vErrors.concat(validate31.errors);
errors = vErrors.length;
}
var valid10 = _errs42 === errors;
if(!valid10){
break;
}
}
}
}
var valid7 = _errs40 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.observation !== undefined){
const _errs43 = errors;
if(!(validate33(data.observation, {instancePath:instancePath+"/observation",parentData:data,parentDataProperty:"observation",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate33.errors : vErrors.concat(validate33.errors);
errors = vErrors.length;
}
var valid7 = _errs43 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.metrics !== undefined){
const _errs44 = errors;
if(!(validate40(data.metrics, {instancePath:instancePath+"/metrics",parentData:data,parentDataProperty:"metrics",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate40.errors : vErrors.concat(validate40.errors);
errors = vErrors.length;
}
var valid7 = _errs44 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.is_copied_context !== undefined){
let data20 = data.is_copied_context;
const _errs45 = errors;
if((typeof data20 !== "boolean") && (data20 !== null)){
validate24.errors = [{instancePath:instancePath+"/is_copied_context",schemaPath:"#/properties/is_copied_context/type",keyword:"type",params:{type: schema40.properties.is_copied_context.type},message:"must be boolean,null"}];
return false;
}
var valid7 = _errs45 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.llm_call_count !== undefined){
let data21 = data.llm_call_count;
const _errs47 = errors;
const _errs48 = errors;
if((!(((typeof data21 == "number") && (!(data21 % 1) && !isNaN(data21))) && (isFinite(data21)))) && (data21 !== null)){
validate24.errors = [{instancePath:instancePath+"/llm_call_count",schemaPath:"#/$defs/count/type",keyword:"type",params:{type: schema73.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs48){
if((typeof data21 == "number") && (isFinite(data21))){
if(data21 < 0 || isNaN(data21)){
validate24.errors = [{instancePath:instancePath+"/llm_call_count",schemaPath:"#/$defs/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid7 = _errs47 === errors;
}
else {
var valid7 = true;
}
if(valid7){
if(data.extra !== undefined){
let data22 = data.extra;
const _errs50 = errors;
if((!(data22 && typeof data22 == "object" && !Array.isArray(data22))) && (data22 !== null)){
validate24.errors = [{instancePath:instancePath+"/extra",schemaPath:"#/$defs/open/type",keyword:"type",params:{type: schema39.type},message:"must be object,null"}];
return false;
}
var valid7 = _errs50 === errors;
}
else {
var valid7 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate24.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate24.errors = vErrors;
return errors === 0;
}
validate24.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema76 = {"type":["object","null"],"additionalProperties":false,"properties":{"total_prompt_tokens":{"$ref":"#/$defs/integer"},"total_completion_tokens":{"$ref":"#/$defs/integer"},"total_cached_tokens":{"$ref":"#/$defs/integer"},"total_cost_usd":{"$ref":"#/$defs/number"},"total_steps":{"$ref":"#/$defs/count"},"extra":{"$ref":"#/$defs/open"}}};

function validate43(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate43.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if((!(data && typeof data == "object" && !Array.isArray(data))) && (data !== null)){
validate43.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: schema76.type},message:"must be object,null"}];
return false;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
const _errs1 = errors;
for(const key0 in data){
if(!((((((key0 === "total_prompt_tokens") || (key0 === "total_completion_tokens")) || (key0 === "total_cached_tokens")) || (key0 === "total_cost_usd")) || (key0 === "total_steps")) || (key0 === "extra"))){
validate43.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.total_prompt_tokens !== undefined){
let data0 = data.total_prompt_tokens;
const _errs2 = errors;
if((!(((typeof data0 == "number") && (!(data0 % 1) && !isNaN(data0))) && (isFinite(data0)))) && (data0 !== null)){
validate43.errors = [{instancePath:instancePath+"/total_prompt_tokens",schemaPath:"#/$defs/integer/type",keyword:"type",params:{type: schema66.type},message:"must be integer,null"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.total_completion_tokens !== undefined){
let data1 = data.total_completion_tokens;
const _errs5 = errors;
if((!(((typeof data1 == "number") && (!(data1 % 1) && !isNaN(data1))) && (isFinite(data1)))) && (data1 !== null)){
validate43.errors = [{instancePath:instancePath+"/total_completion_tokens",schemaPath:"#/$defs/integer/type",keyword:"type",params:{type: schema66.type},message:"must be integer,null"}];
return false;
}
var valid0 = _errs5 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.total_cached_tokens !== undefined){
let data2 = data.total_cached_tokens;
const _errs8 = errors;
if((!(((typeof data2 == "number") && (!(data2 % 1) && !isNaN(data2))) && (isFinite(data2)))) && (data2 !== null)){
validate43.errors = [{instancePath:instancePath+"/total_cached_tokens",schemaPath:"#/$defs/integer/type",keyword:"type",params:{type: schema66.type},message:"must be integer,null"}];
return false;
}
var valid0 = _errs8 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.total_cost_usd !== undefined){
let data3 = data.total_cost_usd;
const _errs11 = errors;
if((!((typeof data3 == "number") && (isFinite(data3)))) && (data3 !== null)){
validate43.errors = [{instancePath:instancePath+"/total_cost_usd",schemaPath:"#/$defs/number/type",keyword:"type",params:{type: schema69.type},message:"must be number,null"}];
return false;
}
var valid0 = _errs11 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.total_steps !== undefined){
let data4 = data.total_steps;
const _errs14 = errors;
const _errs15 = errors;
if((!(((typeof data4 == "number") && (!(data4 % 1) && !isNaN(data4))) && (isFinite(data4)))) && (data4 !== null)){
validate43.errors = [{instancePath:instancePath+"/total_steps",schemaPath:"#/$defs/count/type",keyword:"type",params:{type: schema73.type},message:"must be integer,null"}];
return false;
}
if(errors === _errs15){
if((typeof data4 == "number") && (isFinite(data4))){
if(data4 < 0 || isNaN(data4)){
validate43.errors = [{instancePath:instancePath+"/total_steps",schemaPath:"#/$defs/count/minimum",keyword:"minimum",params:{comparison: ">=", limit: 0},message:"must be >= 0"}];
return false;
}
}
}
var valid0 = _errs14 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.extra !== undefined){
let data5 = data.extra;
const _errs17 = errors;
if((!(data5 && typeof data5 == "object" && !Array.isArray(data5))) && (data5 !== null)){
validate43.errors = [{instancePath:instancePath+"/extra",schemaPath:"#/$defs/open/type",keyword:"type",params:{type: schema39.type},message:"must be object,null"}];
return false;
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
validate43.errors = vErrors;
return errors === 0;
}
validate43.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};

const schema85 = {"$ref":"#/$defs/document","type":"object","required":["trajectory_id"],"properties":{"trajectory_id":{"$ref":"#/$defs/name"}}};
const wrapper0 = {validate: validate21};

function validate45(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate45.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(!(wrapper0.validate(data, {instancePath,parentData,parentDataProperty,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? wrapper0.validate.errors : vErrors.concat(wrapper0.validate.errors);
errors = vErrors.length;
}
else {
var props0 = wrapper0.validate.evaluated.props;
var items0 = wrapper0.validate.evaluated.items;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((data.trajectory_id === undefined) && (missing0 = "trajectory_id")){
validate45.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
if(props0 !== true){
props0 = props0 || {};
props0.trajectory_id = true;
}
if(data.trajectory_id !== undefined){
let data0 = data.trajectory_id;
const _errs2 = errors;
if(errors === _errs2){
if(typeof data0 === "string"){
if(data0.length < 1){
validate45.errors = [{instancePath:instancePath+"/trajectory_id",schemaPath:"#/$defs/name/minLength",keyword:"minLength",params:{limit: 1},message:"must NOT have fewer than 1 characters"}];
return false;
}
}
else {
validate45.errors = [{instancePath:instancePath+"/trajectory_id",schemaPath:"#/$defs/name/type",keyword:"type",params:{type: "string"},message:"must be string"}];
return false;
}
}
}
}
}
else {
validate45.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate45.errors = vErrors;
evaluated0.props = props0;
evaluated0.items = items0;
return errors === 0;
}
validate45.evaluated = {"dynamicProps":true,"dynamicItems":true};


function validate21(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
let vErrors = null;
let errors = 0;
const evaluated0 = validate21.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(errors === 0){
if(data && typeof data == "object" && !Array.isArray(data)){
let missing0;
if((((data.schema_version === undefined) && (missing0 = "schema_version")) || ((data.agent === undefined) && (missing0 = "agent"))) || ((data.steps === undefined) && (missing0 = "steps"))){
validate21.errors = [{instancePath,schemaPath:"#/required",keyword:"required",params:{missingProperty: missing0},message:"must have required property '"+missing0+"'"}];
return false;
}
else {
const _errs1 = errors;
for(const key0 in data){
if(!(func1.call(schema32.properties, key0))){
validate21.errors = [{instancePath,schemaPath:"#/additionalProperties",keyword:"additionalProperties",params:{additionalProperty: key0},message:"must NOT have additional properties"}];
return false;
break;
}
}
if(_errs1 === errors){
if(data.schema_version !== undefined){
let data0 = data.schema_version;
const _errs2 = errors;
if(!(((((((((data0 === "ATIF-v1.0") || (data0 === "ATIF-v1.1")) || (data0 === "ATIF-v1.2")) || (data0 === "ATIF-v1.3")) || (data0 === "ATIF-v1.4")) || (data0 === "ATIF-v1.5")) || (data0 === "ATIF-v1.6")) || (data0 === "ATIF-v1.7")) || (data0 === "ATIF-v1.8"))){
validate21.errors = [{instancePath:instancePath+"/schema_version",schemaPath:"#/properties/schema_version/enum",keyword:"enum",params:{allowedValues: schema32.properties.schema_version.enum},message:"must be equal to one of the allowed values"}];
return false;
}
var valid0 = _errs2 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.session_id !== undefined){
let data1 = data.session_id;
const _errs3 = errors;
if((typeof data1 !== "string") && (data1 !== null)){
validate21.errors = [{instancePath:instancePath+"/session_id",schemaPath:"#/$defs/text/type",keyword:"type",params:{type: schema33.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs3 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.trajectory_id !== undefined){
let data2 = data.trajectory_id;
const _errs6 = errors;
if((typeof data2 !== "string") && (data2 !== null)){
validate21.errors = [{instancePath:instancePath+"/trajectory_id",schemaPath:"#/$defs/text/type",keyword:"type",params:{type: schema33.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs6 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.agent !== undefined){
const _errs9 = errors;
if(!(validate22(data.agent, {instancePath:instancePath+"/agent",parentData:data,parentDataProperty:"agent",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate22.errors : vErrors.concat(validate22.errors);
errors = vErrors.length;
}
var valid0 = _errs9 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.steps !== undefined){
let data4 = data.steps;
const _errs10 = errors;
if(errors === _errs10){
if(Array.isArray(data4)){
if(data4.length < 1){
validate21.errors = [{instancePath:instancePath+"/steps",schemaPath:"#/properties/steps/minItems",keyword:"minItems",params:{limit: 1},message:"must NOT have fewer than 1 items"}];
return false;
}
else {
var valid3 = true;
const len0 = data4.length;
for(let i0=0; i0<len0; i0++){
const _errs12 = errors;
if(!(validate24(data4[i0], {instancePath:instancePath+"/steps/" + i0,parentData:data4,parentDataProperty:i0,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate24.errors : vErrors.concat(validate24.errors);
errors = vErrors.length;
}
var valid3 = _errs12 === errors;
if(!valid3){
break;
}
}
}
}
else {
validate21.errors = [{instancePath:instancePath+"/steps",schemaPath:"#/properties/steps/type",keyword:"type",params:{type: "array"},message:"must be array"}];
return false;
}
}
var valid0 = _errs10 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.notes !== undefined){
let data6 = data.notes;
const _errs13 = errors;
if((typeof data6 !== "string") && (data6 !== null)){
validate21.errors = [{instancePath:instancePath+"/notes",schemaPath:"#/$defs/text/type",keyword:"type",params:{type: schema33.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs13 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.final_metrics !== undefined){
const _errs16 = errors;
if(!(validate43(data.final_metrics, {instancePath:instancePath+"/final_metrics",parentData:data,parentDataProperty:"final_metrics",rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate43.errors : vErrors.concat(validate43.errors);
errors = vErrors.length;
}
var valid0 = _errs16 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.continued_trajectory_ref !== undefined){
let data8 = data.continued_trajectory_ref;
const _errs17 = errors;
if((typeof data8 !== "string") && (data8 !== null)){
validate21.errors = [{instancePath:instancePath+"/continued_trajectory_ref",schemaPath:"#/$defs/text/type",keyword:"type",params:{type: schema33.type},message:"must be string,null"}];
return false;
}
var valid0 = _errs17 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.extra !== undefined){
let data9 = data.extra;
const _errs20 = errors;
if((!(data9 && typeof data9 == "object" && !Array.isArray(data9))) && (data9 !== null)){
validate21.errors = [{instancePath:instancePath+"/extra",schemaPath:"#/$defs/open/type",keyword:"type",params:{type: schema39.type},message:"must be object,null"}];
return false;
}
var valid0 = _errs20 === errors;
}
else {
var valid0 = true;
}
if(valid0){
if(data.subagent_trajectories !== undefined){
let data10 = data.subagent_trajectories;
const _errs23 = errors;
if((!(Array.isArray(data10))) && (data10 !== null)){
validate21.errors = [{instancePath:instancePath+"/subagent_trajectories",schemaPath:"#/properties/subagent_trajectories/type",keyword:"type",params:{type: schema32.properties.subagent_trajectories.type},message:"must be array,null"}];
return false;
}
if(errors === _errs23){
if(Array.isArray(data10)){
var valid7 = true;
const len1 = data10.length;
for(let i1=0; i1<len1; i1++){
const _errs25 = errors;
if(!(validate45(data10[i1], {instancePath:instancePath+"/subagent_trajectories/" + i1,parentData:data10,parentDataProperty:i1,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate45.errors : vErrors.concat(validate45.errors);
errors = vErrors.length;
}
var valid7 = _errs25 === errors;
if(!valid7){
break;
}
}
}
}
var valid0 = _errs23 === errors;
}
else {
var valid0 = true;
}
}
}
}
}
}
}
}
}
}
}
}
}
else {
validate21.errors = [{instancePath,schemaPath:"#/type",keyword:"type",params:{type: "object"},message:"must be object"}];
return false;
}
}
validate21.errors = vErrors;
return errors === 0;
}
validate21.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};


function validate20(data, {instancePath="", parentData, parentDataProperty, rootData=data, dynamicAnchors={}}={}){
/*# sourceURL="atif-v1.8.schema.json" */;
let vErrors = null;
let errors = 0;
const evaluated0 = validate20.evaluated;
if(evaluated0.dynamicProps){
evaluated0.props = undefined;
}
if(evaluated0.dynamicItems){
evaluated0.items = undefined;
}
if(!(validate21(data, {instancePath,parentData,parentDataProperty,rootData,dynamicAnchors}))){
vErrors = vErrors === null ? validate21.errors : vErrors.concat(validate21.errors);
errors = vErrors.length;
}
validate20.errors = vErrors;
return errors === 0;
}
validate20.evaluated = {"props":true,"dynamicProps":false,"dynamicItems":false};
