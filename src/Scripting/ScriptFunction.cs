namespace Jackdaw.Scripting;

/// <summary>A function that the host gives to the prelude of an environment, there called <c>host.name</c>.</summary>
public sealed record ScriptFunction(string Name, ScriptCallback Callback);
