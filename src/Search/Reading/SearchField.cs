namespace Jackdaw.Search.Reading;

/// <summary>A field as an index has it.</summary>
/// <param name="Name">Its name.</param>
/// <param name="Id">Its id.</param>
/// <param name="Options">What it was made with.</param>
/// <param name="HasSeveralValues">Some entry had more than one value: totals of ranges need a union then.</param>
/// <param name="EntryCount">Entries that have the field.</param>
/// <param name="TotalLength">Sum of all lengths, in tokens.</param>
public sealed record SearchField(string Name, ushort Id, FieldOptions Options, bool HasSeveralValues, long EntryCount, long TotalLength);
