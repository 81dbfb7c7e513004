namespace Jackdaw.Indexing.Definitions;

/// <summary>A step of a <see cref="FieldPath"/>.</summary>
/// <param name="Name">The name of a member.</param>
/// <param name="IsEach">Its value is an array, into whose elements the path goes.</param>
public readonly record struct FieldPathStep(string Name, bool IsEach);
