using Jackdaw.Storage;

namespace Jackdaw.Documents.EventStreams;

/// <summary>
/// The numbers of streams in the order of their digits, as ids have them: 1, 10, 100, 101, 11, 2. Numbers have no gaps, so that order is
/// the one of a tree in which 10 to 19 hang below 1.
/// </summary>
internal readonly struct StreamNumberWalk
{
    private readonly long _root;
    private readonly long _last;

    /// <param name="root">Only this number and those that begin with its digits; 0: all.</param>
    /// <param name="last">The highest number that there is.</param>
    public StreamNumberWalk(long root, long last)
    {
        Invariant.Require(root >= 0 && last >= 0);
        _root = root;
        _last = last;
    }

    /// <summary>Walks one number alone.</summary>
    public static StreamNumberWalk Only(long number) => new(number, number);

    /// <summary>Is the number one of those that are walked?</summary>
    public bool Has(long number)
    {
        if (number < 1 || number > _last)
            return false;
        while (number > _root)
            number /= 10;
        return number == _root;
    }

    /// <summary>0: there is none.</summary>
    public long First(bool isDescending)
    {
        if (_last == 0 || _root > _last)
            return 0;
        if (!isDescending)
            return Math.Max(1, _root);
        return Lowest(_root == 0 ? Math.Min(9, _last) : _root);
    }

    /// <summary>0: that was the last one.</summary>
    public long Next(long number, bool isDescending)
    {
        Invariant.Require(Has(number));
        return isDescending ? Previous(number) : Next(number);
    }

    private long Next(long number)
    {
        if (number <= _last / 10)
            return number * 10;
        while (number != _root && (number % 10 == 9 || number == _last))
            number /= 10;
        return number == _root ? 0 : number + 1;
    }

    private long Previous(long number)
    {
        if (number == _root)
            return 0;
        if (number % 10 == 0)
            return number / 10;
        return number == 1 ? 0 : Lowest(number - 1);
    }

    /// <summary>The last one in order that begins with a number's digits.</summary>
    private long Lowest(long number)
    {
        while (number <= _last / 10)
            number = Math.Min((number * 10) + 9, _last);
        return number;
    }
}
