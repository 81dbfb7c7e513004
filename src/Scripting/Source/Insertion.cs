namespace Jackdaw.Scripting.Source;

/// <summary>Characters that stand in a text as it is compiled, and not in the author's.</summary>
/// <param name="Line">From 1.</param>
/// <param name="Column">In the author's text, from 0: how many characters of the line stand before them.</param>
/// <param name="Length">How many there are.</param>
internal readonly record struct Insertion(int Line, int Column, int Length);
