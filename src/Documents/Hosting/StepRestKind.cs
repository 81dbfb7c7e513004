namespace Jackdaw.Documents.Hosting;

/// <summary>The kinds of <see cref="StepRest"/>.</summary>
internal enum StepRestKind
{
    Again,
    Rest,
    Pause,
    Ended,
}
