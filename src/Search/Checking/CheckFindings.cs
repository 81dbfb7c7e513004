using Jackdaw.Storage.Errors;

namespace Jackdaw.Search.Checking;

/// <summary>Collects what a check finds, up to a number.</summary>
internal sealed class CheckFindings(int atMost)
{
    private readonly List<string> _all = [];

    public IReadOnlyList<string> All => _all;

    public bool IsFull => _all.Count >= atMost;

    public void Add(string finding)
    {
        if (!IsFull)
            _all.Add(finding);
    }

    /// <summary>Runs a part of the check. What cannot be read at all becomes a finding.</summary>
    public void Try(string subject, Action check)
    {
        try
        {
            check();
        }
        catch (Exception unreadable)
            when (unreadable
                    is InvariantViolationException
                        or CorruptedDataException
                        or SearchFormatException
                        or ArgumentException
                        or IndexOutOfRangeException
                        or OverflowException
            )
        {
            Add($"{subject} cannot be read: {unreadable.Message}");
        }
    }
}
