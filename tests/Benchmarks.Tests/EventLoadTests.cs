using Jackdaw.Bench.Load;
using Xunit;

namespace Jackdaw.Bench.Tests;

public class EventLoadTests
{
    [Fact]
    public void Readers_are_given_the_first_streams_of_each_of_the_generators_threads()
    {
        var load = new EventLoad("http://localhost/databases/bench/events", "round1-", EventsOfAGroup: 10, Connections: 32);

        Assert.Equal(["round1-0-0", "round1-1-0", "round1-0-1", "round1-1-1"], load.StreamIds(4));
    }

    [Fact]
    public void One_connection_has_one_thread_and_its_streams_are_that_threads()
    {
        var load = new EventLoad("http://localhost/databases/bench/events", "round1-", EventsOfAGroup: 1, Connections: 1);

        Assert.Equal(["round1-0-0", "round1-0-1"], load.StreamIds(2));
    }
}
