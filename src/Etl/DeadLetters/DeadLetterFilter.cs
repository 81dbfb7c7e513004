namespace Jackdaw.Etl.DeadLetters;

/// <summary>Which dead letters are meant; without any member all of them.</summary>
public sealed record DeadLetterFilter
{
    /// <summary>This one alone, by the id of its document; null: any.</summary>
    public string? Id { get; init; }

    /// <summary>Those of a task, which may be removed already; null: of any.</summary>
    public long? TaskId { get; init; }

    /// <summary>Those of a task by its name as it was when they were written, in any casing; null: of any.</summary>
    public string? TaskName { get; init; }

    /// <summary>Those of a transform, by its name in any casing; null: of any.</summary>
    public string? Transform { get; init; }

    /// <summary>Null: any.</summary>
    public DeadLetterState? State { get; init; }

    /// <summary>Only those that their task retries by itself.</summary>
    internal bool RetriesItself { get; init; }

    internal bool Matches(StoredDeadLetter letter) =>
        (Id is null || letter.Id.Equals(Id, StringComparison.OrdinalIgnoreCase))
        && (TaskId is null || letter.TaskId == TaskId)
        && (TaskName is null || letter.Task.Equals(TaskName, StringComparison.OrdinalIgnoreCase))
        && (Transform is null || letter.Transform.Equals(Transform, StringComparison.OrdinalIgnoreCase))
        && (State is null || letter.State == State)
        && (!RetriesItself || letter.RetriesItself);
}
